import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** npm's program file: the one that started this command, the one beside this Node, or the one on the PATH. */
export function npmProgram(): string | undefined {
  const started = process.env["npm_execpath"] ?? "";
  const nodeFolder = dirname(process.execPath);
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "npm"));
  const candidates = [
    basename(started) === "npm-cli.js" ? started : "",
    join(nodeFolder, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(nodeFolder, "node_modules", "npm", "bin", "npm-cli.js"),
    ...onPath.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  ];
  return candidates.find((path) => path.endsWith(".js") && existsSync(path));
}

/** Downloads the archives of packages, such as `hono@4.13.19`, into a folder, and runs nothing of them. Throws what npm says. */
export async function downloadPackages(packages: readonly string[], folder: string): Promise<void> {
  const npm = npmProgram();
  if (npm === undefined) throw new Error("npm was not found.");
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--loglevel=error"];
  const line = [npm, "pack", ...packages, "--pack-destination", folder, ...flags];
  await promisify(execFile)(process.execPath, line, { cwd: folder }).catch((error: { stderr?: string }) => {
    throw new Error(error.stderr?.trim() || "npm failed.", { cause: error });
  });
}
