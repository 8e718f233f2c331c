import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** 4 minutes for 50 MB. */
const installWithinMs = 4 * 60_000;

/**
 * Installs Debian packages if the tests run as root on Debian, without starting their services. It never asks for a password
 * and does nothing for other users. Returns the last line of the error if that failed.
 */
export function installPackages(packages: readonly string[]): string | undefined {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/etc/debian_version") || !existsSync("/usr/bin/apt-get")) return undefined;
  const install = () =>
    spawnSync(
      "apt-get",
      ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60", ...packages],
      {
        // invoke-rc.d starts no services in runlevel 1.
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
        timeout: installWithinMs,
        encoding: "utf8",
      },
    );
  let done = install();
  if (done.status !== 0) {
    spawnSync("apt-get", ["update"], { timeout: installWithinMs });
    done = install();
  }
  return done.status === 0 ? undefined : `apt-get could not install it: ${lastLine(done.stderr)}`;
}

function lastLine(text: string | null): string {
  return (text ?? "").trim().split("\n").at(-1) ?? "";
}
