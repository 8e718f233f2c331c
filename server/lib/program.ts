import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { programVersion } from "#storage/lib/program-version.ts";

/** The folder with package.json: a clone, or the installed package. */
export const programFolder = fileURLToPath(new URL("../..", import.meta.url));

type Manifest = { gitHead?: string; bin?: unknown };
const manifest = JSON.parse(read("package.json") ?? "") as Manifest;

/** The commit that it was built from. Undefined in a copy of the files without Git's folder. */
export const programCommit = (): string | undefined => manifest.gitHead ?? commitOfClone();

/** Version and commit, for people. */
export function versionText(): string {
  const commit = programCommit();
  return commit === undefined ? programVersion() : `${programVersion()} (${commit.slice(0, 8)})`;
}

/** Whether this is an installed package, and not a clone. */
export const isPackage = manifest.bin !== undefined;

/** How this program was installed, which says how it is updated. */
export const installedAs: "clone" | "package" | "npx" | "image" = !isPackage
  ? "clone"
  : programFolder.includes("/_npx/")
    ? "npx"
    : programFolder.includes("node_modules")
      ? "package"
      : "image";

/** The folder that npm installed the package into. `parlance update` puts other versions into its folder `versions`. */
export const installedFolder = programFolder.replace(
  /[\\/]versions[\\/][^\\/]+[\\/]node_modules[\\/][^\\/]+[\\/]?$/,
  "/",
);

/** How administrators call the commands. */
export const commandLine = isPackage ? "parlance" : "npm run cli --";

function commitOfClone(): string | undefined {
  const head = read(".git/HEAD")?.trim();
  if (head === undefined || !head.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  return (
    read(`.git/${ref}`)?.trim() ??
    new RegExp(`^(\\w+) ${ref}$`, "m").exec(read(".git/packed-refs") ?? "")?.[1]
  );
}

function read(path: string): string | undefined {
  try {
    return readFileSync(`${programFolder}/${path}`, "utf8");
  } catch {
    return undefined;
  }
}
