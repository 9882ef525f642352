"""Zip archives from outside: members by name, with every error of a damaged archive as one line."""

import io
import struct
import zipfile
import zlib

from constructions.errors import InputError

_DAMAGE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, OverflowError,
           struct.error, zlib.error)
"""What zipfile raises for archives that are damaged, encrypted or compressed in unusual ways."""


class Archive:
    """The members of a zip archive; what all of them take unpacked is at most ``limit``.

    Raises:
        InputError: if the archive is damaged, names a member twice, or is larger unpacked.
    """

    def __init__(self, data: bytes, where: str, limit: int) -> None:
        self.where = where
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise self._damaged(error) from None
        infos = self._zip.infolist()
        self.sizes = {info.filename: info.file_size for info in infos}
        if len(self.sizes) < len(infos):
            raise InputError(f"{where}: two members of the archive have the same name, expected each once")
        if sum(self.sizes.values()) > limit:
            raise InputError(f"{where}: {sum(self.sizes.values())} bytes unpacked, expected at most {limit}")

    def _damaged(self, error: Exception) -> InputError:
        return InputError(f"{self.where}: not a whole zip archive: {str(error)[:80] or type(error).__name__}")

    def read(self, name: str) -> bytes:
        """The bytes of a member, no more than its stated size.

        Raises:
            InputError: if they are damaged.
        """
        try:
            return self._zip.read(name)
        except _DAMAGE as error:
            raise self._damaged(error) from None
