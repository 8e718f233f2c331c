import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { fromPs, processInfo } from "./npm-process.mjs";

describe.skipIf(process.platform === "win32").for([
  ["this system", processInfo],
  ["ps", fromPs],
] as const)("what %s says about a process", ([, infoOf]) => {
  test("names its parent and command, and the same start until it has ended", async () => {
    const child = spawn("sh", ["-c", "read line; exit"], { stdio: ["pipe", "ignore", "ignore"] });
    const info = infoOf(child.pid!);
    expect(info).toMatchObject({ parent: process.pid, command: expect.stringContaining("sh -c read line") });
    expect(info?.start).toMatch(/\d/);
    expect(infoOf(child.pid!)?.start).toBe(info?.start);
    const ended = once(child, "exit");
    child.stdin.end("\n");
    await ended;
    expect(infoOf(child.pid!)).toBeUndefined();
  });

  test("says the same in another time zone", () => {
    const { start } = infoOf(process.pid)!;
    for (const zone of ["Asia/Tokyo", "America/Lima"]) {
      vi.stubEnv("TZ", zone);
      expect(infoOf(process.pid)!.start).toBe(start);
    }
    vi.unstubAllEnvs();
  });

  test("tells processes apart by their start", () => {
    expect(infoOf(process.pid)?.start).not.toBe(infoOf(1)?.start);
  });
});
