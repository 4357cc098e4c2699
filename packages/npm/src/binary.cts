/** Finds the program. */

import { dirname, join } from "node:path";

/** The path of the program: CHATDOUBLE_BINARY if set, otherwise the one in this platform's package. */
export function binary(): string {
  if (process.env["CHATDOUBLE_BINARY"]) return process.env["CHATDOUBLE_BINARY"];
  const platform = `chatdouble-${process.platform}-${process.arch}`;
  let folder: string;
  try {
    folder = dirname(require.resolve(`${platform}/package.json`));
  } catch {
    throw new Error(
      `there is no program for this platform: the package ${platform} is not installed. ` +
        `Install the file ${platform}-*.tgz as well as that of chatdouble ` +
        "(it is an optional dependency, which --omit=optional leaves out), " +
        "or name a program in CHATDOUBLE_BINARY.",
    );
  }
  return join(folder, "bin", process.platform === "win32" ? "chatdouble.exe" : "chatdouble");
}
