"""Stands in for unidecode: drops what is not ASCII."""


def unidecode(text: str) -> str:
    return text.encode("ascii", "ignore").decode()
