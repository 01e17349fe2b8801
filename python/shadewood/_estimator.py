"""scikit-learn's conventions of parameters, without scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, TypeVar

from ._core import string

Self = TypeVar("Self", bound="Estimator")


class NotFitted(ValueError, AttributeError):
    """fit() was not called yet. scikit-learn's NotFittedError has the same bases."""


def not_fitted(estimator: Any) -> Exception:
    """The exception of scikit-learn if that is loaded, otherwise our own."""
    import sys

    module = sys.modules.get("sklearn.exceptions")
    kind = module.NotFittedError if module is not None else NotFitted
    return kind(f"This {type(estimator).__name__} instance is not fitted yet: call fit() or load() first")


class Estimator:
    """Parameters are the arguments of __init__(), which keeps them as they are given; fit() checks them."""

    @classmethod
    def _parameter_names(cls) -> List[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters, which fit() uses from then on."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {names}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: parameter.default for name, parameter in inspect.signature(type(self).__init__).parameters.items()}
        given = [f"{name}={getattr(self, name)!r}" for name in self._parameter_names()
                 if repr(getattr(self, name)) != repr(defaults[name])]
        return f"{type(self).__name__}({', '.join(given)})"

    def _more_tags(self) -> Dict[str, Any]:
        return {}

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn 1.6 and later ask; earlier versions read _estimator_type and _more_tags()."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        tags = Tags(estimator_type="classifier", target_tags=TargetTags(required=True),
                    classifier_tags=ClassifierTags(), input_tags=InputTags(allow_nan=self._more_tags().get("allow_nan", False)))
        return tags


class ForestEstimator(Estimator):
    """An estimator with a forest of the library's in `_forest` once it is fitted; pickles have the forest's file."""

    def to_bytes(self) -> bytes:
        raise NotImplementedError

    def _fitted(self) -> Any:
        forest = self.__dict__.get("_forest")
        if forest is None:
            raise not_fitted(self)
        return forest

    @property
    def training_(self) -> str:
        """How the forest was made, as a JSON object."""
        return string(self._fitted().info.training)

    def __getstate__(self) -> Dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        if "_forest" in self.__dict__:
            state["_forest"] = self.to_bytes()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "_forest" in self.__dict__
