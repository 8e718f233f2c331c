import { existsSync } from "node:fs";
import { installPackages } from "./debian-packages.ts";

/** The programs of OpenStack Swift, an S3-compatible server that checks every signature. */
const programs = [
  "swift-proxy-server",
  "swift-account-server",
  "swift-container-server",
  "swift-object-server",
];
const packages = programs.map((name) => name.replace(/-server$/, ""));

/** The folder of the programs, or the reason why they are missing. */
export type Swift = { folder: string } | { missing: string };

export function findSwift(): Swift {
  const folder = "/usr/bin";
  if (programs.every((name) => existsSync(`${folder}/${name}`)) && existsSync(`${folder}/python3`))
    return { folder };
  return {
    missing: `OpenStack Swift is not installed: apt-get install --no-install-recommends ${packages.join(" ")}`,
  };
}

/** Installs Swift on Debian if the tests run as root. If Swift is still missing, the result has the reason. */
export async function installSwift(): Promise<Swift> {
  const found = findSwift();
  if ("folder" in found) return found;
  const failure = await installPackages(packages);
  return failure === undefined ? findSwift() : { missing: failure };
}
