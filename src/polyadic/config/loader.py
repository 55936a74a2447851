"""Settings in layers: the environment over ``polyadic.toml`` over default; and that file with all there is to set."""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, TomlConfigSettingsSource
from pydantic_settings import SettingsError as SettingsSourceError

from polyadic.config.settings import Settings
from polyadic.errors import SettingsError

FILE_NAME = "polyadic.toml"
DEFAULT_FOLDER = Path("polyadic-workspace")


def expanded(name: Path | str) -> Path:
    """The path a person means: ``~`` is theirs, and what is no user's stays as it is.

    >>> expanded("~nobody-of-this-name/kb").parts
    ('~nobody-of-this-name', 'kb')
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def load_settings(file: Path) -> Settings:
    """The settings that a file and the environment give together; the file need not exist.

    Raises
    ------
    SettingsError
        The file is no TOML, or a setting is unknown or has a value that cannot be used.
    """

    class FromFile(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file.absolute())

    try:
        loaded = FromFile()
        return Settings.model_construct(**{section: getattr(loaded, section) for section in Settings.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        variable = variable_that_sets(first["loc"])
        where = f"the environment variable {variable}" if variable else str(file)
        raise SettingsError(f"{where} sets {name} wrongly ({first['msg']})", _known(name)) from error
    except SettingsSourceError as error:
        fields = 'write a list as ["a", "b"], and a section field by field (POLYADIC_MODEL__NAME)'
        raise SettingsError(f"the environment variable {_no_json()} holds no JSON", fields) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read ({error})", "mend it or remove it") from error


def variable_that_sets(location: Sequence[str | int]) -> str | None:
    """The environment variable that sets what stands at a location of the settings; None where none does."""
    names = {variable.upper(): variable for variable in os.environ}
    for cut in range(len(location), 0, -1):
        variable = names.get(_variable_of(*location[:cut]))
        if variable and _holds(os.environ[variable], location[cut:]):
            return variable
    # POLYADIC_MODEL__NAME__X makes a section out of a name.
    within = _variable_of(*location, "")
    return next((variable for name, variable in names.items() if name.startswith(within)), None)


def _variable_of(*location: str | int) -> str:
    return ("POLYADIC_" + "__".join(map(str, location))).upper()


def _holds(value: str, location: Sequence[str | int]) -> bool:
    """Whether the value of a variable, which is JSON where it stands for more than one, has something there.

    >>> _holds("300", ()), _holds('{"tokens": 300}', ("tokens",)), _holds('{"tokens": 300}', ("overlap",))
    (True, True, False)
    """
    held: Any = json.loads(value) if location else None
    for part in location:
        if not (part in held if isinstance(held, dict) else isinstance(part, int) and isinstance(held, list)):
            return False
        held = held[part]
    return True


def _no_json() -> str:
    """The environment variables that stand for a section or a list and hold no JSON."""
    expected = set()
    for section, field in Settings.model_fields.items():
        expected.add(_variable_of(section))
        of_section = type(field.default).model_fields.items()
        expected |= {_variable_of(section, name) for name, one in of_section if isinstance(one.default, tuple)}
    return " or ".join(sorted(name for name in os.environ if name.upper() in expected and not _is_json(name)))


def _is_json(variable: str) -> bool:
    try:
        json.loads(os.environ[variable])
    except ValueError:
        return False
    return True


def template(chosen: Mapping[str, Mapping[str, object]] | None = None) -> str:
    """A ``polyadic.toml`` with every setting and what it means: those chosen set, all others commented out.

    Parameters
    ----------
    chosen
        Values by section and name.

    >>> print(template().splitlines()[3])
    # encoding = ""  # encoding of text files that are not UTF-8; empty: it is detected
    >>> print(next(line for line in template({"walk": {"damping": 0.5}}).splitlines() if line.startswith("damping")))
    damping = 0.5  # how far the walk strays from where it starts
    """
    lines = ["# Settings of this Polyadic workspace: remove the # before a line to change it."]
    for section, field in Settings.model_fields.items():
        values = field.default
        set_here = (chosen or {}).get(section, {})
        lines += ["", f"[{section}]  # {type(values).__doc__}"]
        for name, setting in type(values).model_fields.items():
            value = getattr(values, name)
            example = next(iter(setting.examples or ()), value) if value in (None, ()) else value
            mark = "" if name in set_here else "# "
            lines.append(f"{mark}{name} = {json.dumps(set_here.get(name, example))}  # {setting.description}")
    return "\n".join(lines) + "\n"


def _known(name: str) -> str:
    section = Settings.model_fields.get(name.split(".", maxsplit=1)[0])
    names = type(section.default).model_fields if section else Settings.model_fields
    return f"known here: {', '.join(names)}"
