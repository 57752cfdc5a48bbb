"""SciPy's functions, with SCIPY_ARRAY_API=1, on tensors: the results are tensors on the same device."""

import pytest

import array_api_children as children
from gnomon.backends.listing import backend_info

PROGRAM = """
import scipy.cluster.vq, scipy.fft, scipy.integrate, scipy.ndimage, scipy.optimize, scipy.signal
import scipy.special, scipy.stats
from scipy.spatial.transform import Rotation

FUNCTIONS = {
    "special.logsumexp": lambda x, y: scipy.special.logsumexp(x, axis=1),
    "special.softmax": lambda x, y: scipy.special.softmax(x, axis=1),
    "special.log_softmax": lambda x, y: scipy.special.log_softmax(x, axis=0),
    "stats.zscore": lambda x, y: scipy.stats.zscore(x),
    "stats.moment": lambda x, y: scipy.stats.moment(x, order=3),
    "stats.skew": lambda x, y: scipy.stats.skew(x),
    "stats.kurtosis": lambda x, y: scipy.stats.kurtosis(x),
    "stats.sem": lambda x, y: scipy.stats.sem(x),
    "cluster.vq.whiten": lambda x, y: scipy.cluster.vq.whiten(x),
    "fft.fft": lambda x, y: scipy.fft.fft(x),
    "fft.rfft": lambda x, y: scipy.fft.rfft(x, axis=0),
    "fft.fftshift": lambda x, y: scipy.fft.fftshift(x),
    "integrate.trapezoid": lambda x, y: scipy.integrate.trapezoid(x),
    "integrate.cumulative_trapezoid": lambda x, y: scipy.integrate.cumulative_trapezoid(x),
    "optimize.rosen": lambda x, y: scipy.optimize.rosen(x),
    "stats.ttest_1samp": lambda x, y: scipy.stats.ttest_1samp(x, 0.5).pvalue,
    "stats.pearsonr": lambda x, y: scipy.stats.pearsonr(x[:, 0], y[:, 0]).statistic,
    "stats.rankdata": lambda x, y: scipy.stats.rankdata(x),
    "signal.savgol_filter": lambda x, y: scipy.signal.savgol_filter(x, 3, 2, axis=0),
    "signal.filtfilt": lambda x, y: scipy.signal.filtfilt(y[0, :2], y[1, :2], x, axis=0, padlen=2),
    "signal.detrend": lambda x, y: scipy.signal.detrend(x),
    "special.expit": lambda x, y: scipy.special.expit(x),
    "ndimage.gaussian_filter": lambda x, y: scipy.ndimage.gaussian_filter(x, 1.0),
    "spatial.transform.Rotation": lambda x, y: Rotation.from_quat(x).as_matrix(),
}
"""
NAMES = [line.split('"')[1] for line in PROGRAM.split("\n") if line.startswith('    "')]
DEVICES = [name for name in ("reference", "c") if backend_info(name).available]


@pytest.fixture(scope="module")
def results():
    return children.results_of(PROGRAM, DEVICES)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_function(results, name, device):
    children.check(results[name][device], device)


def test_every_function_ran(results):
    assert [*results] == NAMES and len(NAMES) >= 6


def test_what_is_wrong_is_seen():
    wrong = """FUNCTIONS = {
        "array": lambda x, y: np.asarray(x), "other": lambda x, y: y if type(y) is gn.Tensor else x
    }"""
    found = children.results_of(wrong, ["reference"])
    for name in ("array", "other"):
        with pytest.raises(AssertionError):
            children.check(found[name]["reference"], "reference")
