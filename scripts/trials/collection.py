"""A collection's folder: made with settings and seeds, and looked into by other means than the program's own."""

import json
import sqlite3
import subprocess


def make(program, folder, settings, seeds):
    """Makes a collection; `settings` are sections of keys, as everfresh.toml has them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "everfresh.toml").write_text(toml(settings))
    command = [program, "add", "-C", str(folder), *seeds]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def toml(settings):
    """TOML of sections whose values are scalars or one table deep. JSON's scalars are TOML's."""
    lines = []
    for section, keys in settings.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items() if not isinstance(value, dict)]
        for key, table in keys.items():
            if isinstance(table, dict):
                lines.append(f"[{section}.{key}]")
                lines += [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in table.items()]
    return "\n".join(lines) + "\n"


def store(folder):
    """The store, for reading."""
    return sqlite3.connect(f"file:{folder}/everfresh.db?mode=ro", uri=True, timeout=60)


def number_of_visits(folder):
    connection = store(folder)
    number = connection.execute("SELECT COUNT(*) FROM visits").fetchone()[0]
    connection.close()
    return number


def sizes(folder):
    """Bytes of files by what they are for."""
    size = lambda paths: sum(path.stat().st_size for path in paths)
    return {
        "archive": size((folder / "archive").glob("*")),
        "indexes": size((folder / "indexes").glob("*")),
        "store": size(folder.glob("everfresh.db*")),
    }
