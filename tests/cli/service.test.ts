import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemdUnit, type Service } from "#cli/service/systemd-unit.ts";
import { programFolder } from "#server/lib/program.ts";
import { runCommand } from "../support/servers/cli.ts";
import { placeForTest } from "../support/test-scope.ts";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;
const folder = programFolder.replace(/\/$/, "");
const packaged: Service = {
  user: "daemon",
  command: [process.execPath, join(folder, "cli/package/package-program.mjs")],
  dataDir: "/var/lib/parlance",
  clone: undefined,
};

test("a clone prints the unit that starts it, as its owner, with its folder as all that it may change", async () => {
  const place = await placeForTest("sqlite");
  const { code, out } = await runCommand(place, ["service", "print", "--user", "nobody"]);
  expect(code).toBe(0);
  expect(out).toContain(`ExecStart="${process.execPath}" "${folder}/scripts/run.mjs" "start"`);
  expect(out).toContain(`ReadWritePaths="${place.dataDir}" "${folder}"`);
  expect(out).toContain("User=nobody");
});

test("the unit is written to a file, for a user who exists and is not root", async () => {
  const place = await placeForTest("sqlite");
  const file = join(place.dataDir, "parlance.service");
  const install = async (user: string, to = file) =>
    await runCommand(place, ["service", "install", "--user", user, "--file", to]);
  expect(await install("root")).toMatchObject({ code: 1, err: expect.stringContaining("--user") });
  expect(await install("no-such-user")).toMatchObject({ code: 1, err: expect.stringContaining("useradd") });
  expect(await install("nobody", join(place.dataDir, "none/parlance.service"))).toMatchObject({
    code: 1,
    err: expect.stringContaining("systemd"),
  });
  const { code, out } = await install("nobody");
  expect(code).toBe(0);
  expect(out).toContain("systemctl enable --now parlance");
  expect(readFileSync(file, "utf8")).toContain("User=nobody");
});

test("homes are hidden from a service that needs nothing there", () => {
  expect(systemdUnit({ ...packaged, command: ["/usr/bin/node", "/opt/x.mjs"] })).toContain("ProtectHome=yes");
  expect(systemdUnit({ ...packaged, dataDir: "/home/ada/chats" })).toContain("ProtectHome=read-only");
});

test.skipIf(!hasSystemd)("systemd accepts the units, and calls them confined", async () => {
  const place = await placeForTest("sqlite");
  const clone = join(place.dataDir, '100% of $5 "chats"');
  const services = {
    package: packaged,
    elsewhere: { ...packaged, dataDir: "/srv/my chats" },
    clone: { ...packaged, clone, dataDir: join(clone, "data") },
  };
  for (const [name, service] of Object.entries(services)) {
    const file = join(place.dataDir, `parlance-${name}.service`);
    writeFileSync(file, systemdUnit(service));
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], {
      encoding: "utf8",
    });
    expect([name, status, stdout + stderr]).toEqual([name, 0, ""]);
    // From 0 (confined) to 100 (not at all).
    execFileSync("systemd-analyze", ["security", "--offline=yes", "--threshold=25", file]);
  }
});
