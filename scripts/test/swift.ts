import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";

/** The programs of OpenStack Swift, which speaks S3's protocol and checks every signature. */
const programs = [
  "swift-proxy-server",
  "swift-account-server",
  "swift-container-server",
  "swift-object-server",
];
const packages = programs.map((name) => name.replace(/-server$/, ""));

/** Where they are, or why they are not used. */
export type Swift = { folder: string } | { missing: string };

export function findSwift(): Swift {
  const folder = "/usr/bin";
  if (programs.every((name) => existsSync(`${folder}/${name}`)) && existsSync(`${folder}/python3`))
    return { folder };
  return {
    missing: `no OpenStack Swift here: apt-get install --no-install-recommends ${packages.join(" ")}`,
  };
}

/** 4 minutes for 50 MB; a mirror that needs more is one that fails. */
const installWithinMs = 4 * 60_000;

/**
 * Brings Swift onto this machine where nobody has to be asked: on Debian, as root. Nobody's password is wanted, and
 * a person who is not root keeps their machine as it is. Answers why it is still not there.
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
