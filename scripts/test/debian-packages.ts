import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

/** 4 minutes for 50 MB. */
const installWithinMs = 4 * 60_000;

/**
 * Installs Debian packages if the tests run as root on Debian, without starting their services. It never asks for a password
 * and does nothing for other users. Returns the last line of the error if that failed.
 */
export async function installPackages(packages: readonly string[]): Promise<string | undefined> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/etc/debian_version") || !existsSync("/usr/bin/apt-get")) return undefined;
  const options = ["-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60"];
  const install = () => aptGet("install", ...options, ...packages);
  if ((await install()) === undefined) return undefined;
  await aptGet("update");
  const problem = await install();
  return problem === undefined ? undefined : `apt-get could not install it: ${problem}`;
}

/** Returns the last line of its errors if it failed. */
function aptGet(...args: string[]): Promise<string | undefined> {
  // invoke-rc.d starts no services in runlevel 1.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  return new Promise((resolve) => {
    execFile("apt-get", args, { env, timeout: installWithinMs }, (error, _, errors) =>
      resolve(error === null ? undefined : (errors.trim().split("\n").at(-1) ?? "")),
    );
  });
}
