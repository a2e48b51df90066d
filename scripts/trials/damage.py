"""What happens to a collection's files between two runs, and what may be missing afterwards because of it.

An archive file that is deleted or cut takes its records along, and with them those visits' captures that only refer to one of
these. Nothing else may be missing (docs/decisions/0017-store-and-archive-apart.md).
"""

import os
import time

from trials import collection


class Damage:
    """Damages a collection, and remembers which visits may have lost their captures."""

    def __init__(self, random, folder):
        self.random, self.folder = random, folder
        # Numbers of visits, as the store counts them.
        self.may_be_lost = set()

    def draw(self):
        """Does something, or nothing; says what."""
        kinds = [None, None, None, self.delete_index, self.empty_index, self.old_index, self.delete_archive, self.cut_archive]
        kind = self.random.choice(kinds)
        if kind is None or not kind():
            return []
        return [kind.__name__.replace("_", "-")]

    def one_of(self, folder, ending):
        paths = sorted((self.folder / folder).glob(f"*{ending}")) if (self.folder / folder).is_dir() else []
        return self.random.choice(paths) if paths else None

    def delete_index(self):
        index = self.one_of("indexes", ".cdxj")
        return index and (index.unlink() or True)

    def empty_index(self):
        """Cut, and younger than its archive file."""
        index = self.one_of("indexes", ".cdxj")
        return index and (index.write_text("") or True)

    def old_index(self):
        """Lacks its last lines, and yet looks as if it were made tomorrow."""
        index = self.one_of("indexes", ".cdxj")
        if not index:
            return False
        lines = index.read_text().splitlines(keepends=True)
        index.write_text("".join(lines[: len(lines) // 2]))
        tomorrow = time.time() + 86_400
        os.utime(index, (tomorrow, tomorrow))
        return True

    def delete_archive(self):
        archive = self.archive_but_not_the_only()
        if archive:
            self.foresee_loss(archive.name, 0)
            archive.unlink()
        return archive

    def cut_archive(self):
        archive = self.archive_but_not_the_only()
        if archive:
            length = self.random.randrange(archive.stat().st_size)
            self.foresee_loss(archive.name, length)
            os.truncate(archive, length)
        return archive

    def archive_but_not_the_only(self):
        """An archive that is gone altogether is refused, which is not what is tried here."""
        return self.one_of("archive", ".warc.gz") if len(list((self.folder / "archive").glob("*.warc.gz"))) > 1 else None

    def foresee_loss(self, name, length):
        """Remembers the visits whose records lie behind a length, and those that refer to them."""
        store = collection.store(self.folder)
        rows = store.execute(
            "SELECT visits.id, page, hex(payload), revisit, files.name, position FROM visits"
            " LEFT JOIN files ON files.id = visits.file ORDER BY visits.id"
        ).fetchall()
        store.close()
        starts = [position for *_, file, position in rows if file == name and position <= length]
        # Whether the last one that begins before the cut is whole cannot be known from its beginning.
        end, originals = max(starts, default=0), {}
        for visit, page, payload, revisit, file, position in rows:
            if file == name and position >= end:
                self.may_be_lost.add(visit)
            if revisit == 0:
                originals[page, payload] = visit
            elif revisit == 1 and originals.get((page, payload)) in self.may_be_lost:
                self.may_be_lost.add(visit)
