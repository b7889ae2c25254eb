"""The code blocks of the pages: found, run in order, and their outputs compared or written anew.

A page is README.md, CONTRIBUTING.md or one of docs/. What a fence says is what happens:

- ``console``: commands after ``$`` and below each what a terminal of 100 columns shows. A line ``...`` stands for
  lines left out.
- ``sh``: commands to copy. They are run and must succeed; what they print is not shown.
- ``python``: a script. What it prints stands in the ``text`` block that follows.
- ``pycon``: a session with ``>>>``.
- ``csv`` and ``toml``: a file, under the name that the page gave last, such as `log.csv`.

The blocks of a page share a folder and the names of Python. What readers need not see stands in a comment that begins
with ``<!-- sh`` or ``<!-- python``. Before a fence a comment makes an exception: ``<!-- not run: why -->``;
``<!-- tested by: tests/... -->``; ``<!-- real data: ln -s ... -->``, run after this command where METAMETER_DATA is.
"""
