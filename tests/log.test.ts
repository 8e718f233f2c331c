import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi, onTestFinished } from "vitest";
import { describeServer, settingsOf } from "./support/servers/server.ts";
import { placeForTest } from "./support/test-scope.ts";

describeServer("the log", { on: ["sqlite"], settings: { ACCESS_LOG: "on" } }, (server) => {
  const linesWith = (msg: string, field: string, value: unknown) =>
    server()
      .log.lines()
      .filter((line) => line.msg === msg && line[field] === value);

  test("has a line for each request, with its address and without its query", async () => {
    const address = "203.0.113.7";
    await server().guest.send("GET", "/livez?token=terribly-secret", {
      headers: { "X-Forwarded-For": address, "User-Agent": "a probe" },
    });
    await expect.poll(() => linesWith("request", "address", address)).toHaveLength(1);
    expect(linesWith("request", "address", address)[0]).toMatchObject({
      level: 30,
      method: "GET",
      path: "/livez",
      route: "/livez",
      status: 200,
      userAgent: "a probe",
    });
    expect(server().log.text()).not.toContain("terribly-secret");
  });

  test("has the pattern instead of a URL that grants access", async () => {
    await server().guest.send("GET", "/v1/content/file_0x/terribly-secret");
    const route = "/v1/content/{file_id}/…";
    await expect.poll(() => linesWith("request", "path", route)).toHaveLength(1);
    expect(server().log.text()).not.toContain("terribly-secret");
  });

  test("warns of credentials that are not valid, with the address and without the credential", async () => {
    const credentials = ["terribly-secret", "sk_aui_proj_terribly-secret-of-nobody"];
    for (const [i, credential] of credentials.entries()) {
      const address = `203.0.113.${10 + i}`;
      const headers = { Authorization: `Bearer ${credential}`, "X-Forwarded-For": address };
      expect((await server().guest.send("GET", "/v1/threads", { headers })).status).toBe(403);
      expect(linesWith("sign-in failed", "address", address)).toMatchObject([
        { level: 40, path: "/v1/threads" },
      ]);
    }
    await server().guest.send("GET", "/v1/threads", { headers: { "X-Forwarded-For": "203.0.113.20" } });
    expect(linesWith("sign-in failed", "address", "203.0.113.20")).toEqual([]);
    expect(server().log.text()).not.toContain("terribly-secret");
  });
});

test("a server whose log is not read keeps responding, and reports later how many lines it dropped", async () => {
  const place = await placeForTest("sqlite");
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["server/main.mjs"], {
    env: { PATH, HOME, ...settingsOf(place, undefined, { ACCESS_LOG: "on" }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const url = await vi.waitFor(() => /listening on (\S+)/.exec(printed)![1]!, { timeout: 60_000 });
  // 2.4 MB of lines: more than the server's buffer and that of the pipe together.
  const path = `/${"x".repeat(12_000)}`;
  for (let i = 0; i < 200; i++) expect((await fetch(url + path)).status).toBe(404);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  await expect.poll(() => log).toContain("log lines were dropped");
  const dropped = /"dropped":(\d+)/.exec(log)?.[1];
  expect(log.split("\n").filter((line) => line.includes(path)).length + Number(dropped)).toBe(200);
  // Again, so that the server also stops while its log is not read.
  child.stderr.removeAllListeners("data").pause();
  for (let i = 0; i < 200; i++) await fetch(url + path);
  child.kill("SIGTERM");
  const ended = await Promise.race([once(child, "exit"), sleep(20_000)]);
  expect(ended).toEqual([0, null]);
});
