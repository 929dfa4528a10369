"""Where settings come from: the environment, `.env` and `augury.toml`, in this order of priority.
Names that belong to no setting are refused."""

from __future__ import annotations

import os
import tomllib

from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from augury.errors import SetupProblem
from augury.setting_files import check_names, files


def sources() -> dict[str, str]:
    """The source of each setting that is set in the environment or in a file, by the setting's name
    `AUGURY_*`: "environment", or the path of the file. The result also contains all other variables
    of the environment, e.g. PATH."""
    found: dict[str, str] = {}
    # In rising priority: augury.toml, .env in the checkout, .env in the data folder, environment.
    for file in reversed(files()):
        if file.name == "augury.toml":
            names = [f"AUGURY_{name}" for name in tomllib.loads(file.read_text("utf-8"))]
        else:
            names = list(DotEnvSettingsSource(SettingsFromSources, env_file=file).env_vars)
        found |= {name.upper(): str(file) for name in names}
    return found | {name.upper(): "environment" for name in os.environ}


class SettingsFromSources(BaseSettings):
    """Base of a class of settings whose values come from the environment, `.env` and `augury.toml`.

    Raises
    ------
    SetupProblem
        A file is not valid TOML or can be changed by other users, or an unknown setting is named in
        a file or in the environment.
    """

    model_config = SettingsConfigDict(
        env_prefix="AUGURY_", extra="ignore", validate_default=True, hide_input_in_errors=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        read = files()
        envs = [file for file in read if file.name == ".env"]
        # The .env of the data folder comes last, because it has priority over that of the checkout.
        dotenv = DotEnvSettingsSource(settings_cls, env_file=tuple(reversed(envs)))
        tomls = [file for file in read if file.name == "augury.toml"]
        try:
            toml = TomlConfigSettingsSource(settings_cls, tomls)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SetupProblem(f"{tomls[0]} is not valid TOML: {error}.") from None
        fields = cls.model_fields
        check_names(os.environ, fields)
        check_names(dotenv.env_vars, fields)
        check_names((f"augury_{name}" for name in toml.toml_data), fields)
        return init_settings, env_settings, dotenv, toml
