/** How to install rubric. Written by tests/release/addresses.py. */

export const SOURCE = "PATH (of rubric's repository, or of the wheel of a release)";

export const INSTALL = `pipx install ${SOURCE}`;
