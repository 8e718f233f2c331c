import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";

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

/** 4 minutes for 50 MB. */
const installWithinMs = 4 * 60_000;

/**
 * Installs Swift on Debian if the tests run as root. It never asks for a password and does nothing for other users. If Swift
 * is still missing, the result has the reason.
 */
export function installSwift(): Swift {
  const found = findSwift();
  if ("folder" in found) return found;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/etc/debian_version") || !existsSync("/usr/bin/apt-get")) return found;
  const install = () =>
    spawnSync(
      "apt-get",
      ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60", ...packages],
      {
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
        timeout: installWithinMs,
        encoding: "utf8",
      },
    );
  let done = install();
  if (done.status !== 0) {
    spawnSync("apt-get", ["update"], { timeout: installWithinMs });
    done = install();
  }
  const now = findSwift();
  return "folder" in now ? now : { missing: `apt-get could not install it: ${lastLine(done.stderr)}` };
}

function lastLine(text: string | null): string {
  return (text ?? "").trim().split("\n").at(-1) ?? "";
}
