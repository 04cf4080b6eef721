"""What the user of the benchmarks has to mend."""

from __future__ import annotations

from pathlib import Path

from restwright.errors import RestwrightError


class MissingData(RestwrightError):
    """A folder or file of data is not there, or is not what it should be."""

    code = "missing_data"

    def __init__(self, path: Path, what: str, option: str = "--data FOLDER") -> None:
        super().__init__(path, what, option)
        self.path, self.what, self.option = path, what, option

    @property
    def message(self) -> str:
        """What is not there."""
        return f"{self.path} does not hold {self.what}"

    @property
    def hint(self) -> str:
        """How to name another place."""
        return f"name the place by {self.option}"


class MissingPart(RestwrightError):
    """A package that a command needs is not installed."""

    code = "missing_part"

    def __init__(self, name: str, feature: str) -> None:
        super().__init__(name, feature)
        self.name, self.feature = name, feature

    @property
    def message(self) -> str:
        """What cannot be imported."""
        return f"{self.feature} needs {self.name}, which is not installed"

    @property
    def hint(self) -> str:
        """How to install it."""
        return "pip install -e . -e benchmarks in a checkout, or `make setup`"


class UnusableChoice(RestwrightError):
    """An option says nothing that can be done."""

    code = "usage"

    def __init__(self, option: str, why: str) -> None:
        super().__init__(option, why)
        self.option, self.why = option, why

    @property
    def message(self) -> str:
        """What is wrong with it."""
        return f"{self.option}: {self.why}"
