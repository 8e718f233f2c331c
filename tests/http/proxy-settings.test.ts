import { describe, expect, test } from "vitest";
import { runCommand } from "../support/servers/cli.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

async function doctor(place: Parameters<typeof runCommand>[0], settings: Record<string, string>) {
  const { code, out } = await runCommand(place, ["doctor", "--json"], settings);
  const { faults, notes } = JSON.parse(out) as Record<"faults" | "notes", { check: string; about: string }[]>;
  const ofProxy = ({ check }: { check: string }) => check === "public-url";
  return { code, faults: faults.filter(ofProxy), notes: notes.filter(ofProxy) };
}

describe("a server behind a proxy", () => {
  test.for([
    ["0", 1],
    ["1", 0],
  ] as const)("with TRUST_PROXY=%s says %i times that X-Forwarded-For arrives", async ([proxies, times]) => {
    const server = await serverForTest({ engine: "sqlite", settings: { TRUST_PROXY: proxies } });
    const warnings = () => server.log.lines().filter(({ msg }) => msg.includes("TRUST_PROXY is 0"));
    await fetch(`${server.url}/livez`);
    expect(warnings()).toEqual([]);
    for (const path of ["/s/abc", "/v1/threads", "/livez"])
      await fetch(server.url + path, { headers: { "X-Forwarded-For": "192.0.2.7" } });
    expect(warnings()).toHaveLength(times);
  });

  test("is noted by the doctor if its address says that there is one and TRUST_PROXY is 0", async () => {
    const place = await placeForTest("sqlite");
    const https = { PUBLIC_URL: "https://chat.example.com" };
    const note = { about: expect.stringContaining("TRUST_PROXY is 0") as unknown };
    expect(await doctor(place, { ...https, TRUST_PROXY: "0" })).toMatchObject({
      code: 0,
      faults: [],
      notes: [note],
    });
    expect(await doctor(place, { ...https, TRUST_PROXY: "1" })).toMatchObject({ faults: [], notes: [] });
    expect(await doctor(place, { PUBLIC_URL: "http://server:3000", TRUST_PROXY: "0" })).toMatchObject({
      notes: [],
    });
  });
});
