"""scikit-learn's estimators and functions, with array_api_dispatch=True, on tensors."""

import pytest

import array_api_children as children
from gnomon.backends.listing import backend_info

PROGRAM = """
import sklearn
from sklearn import metrics, preprocessing
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import pairwise

sklearn.set_config(array_api_dispatch=True)
FUNCTIONS = {
    "StandardScaler": lambda x, y: preprocessing.StandardScaler().fit_transform(x),
    "MinMaxScaler": lambda x, y: preprocessing.MinMaxScaler().fit_transform(x),
    "MaxAbsScaler": lambda x, y: preprocessing.MaxAbsScaler().fit_transform(x),
    "Normalizer": lambda x, y: preprocessing.Normalizer().fit_transform(x),
    "PolynomialFeatures": lambda x, y: preprocessing.PolynomialFeatures().fit_transform(x),
    "PCA": lambda x, y: abs(PCA(2, svd_solver="full").fit_transform(x)),
    "Ridge": lambda x, y: Ridge(solver="svd").fit(x, y[:, 0]).predict(x),
    "euclidean_distances": lambda x, y: pairwise.euclidean_distances(x, y),
    "cosine_similarity": lambda x, y: pairwise.cosine_similarity(x, y),
    "rbf_kernel": lambda x, y: pairwise.rbf_kernel(x, y),
    "mean_squared_error": lambda x, y: metrics.mean_squared_error(x, y, multioutput="raw_values"),
    "r2_score": lambda x, y: metrics.r2_score(x, y, multioutput="raw_values"),
}
"""
NAMES = [line.split('"')[1] for line in PROGRAM.split("\n") if line.startswith('    "')]
DEVICES = [name for name in ("reference", "c") if backend_info(name).available]


@pytest.fixture(scope="module")
def results():
    return children.results_of(PROGRAM, DEVICES)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_estimator_or_function(results, name, device):
    children.check(results[name][device], device)


def test_all_ran(results):
    assert [*results] == NAMES and len(NAMES) >= 6
