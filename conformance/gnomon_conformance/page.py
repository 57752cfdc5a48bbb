"""Pages made from a report's data."""


def html(data):
    return "<html></html>"


def badge(data):
    return "<svg/>"
