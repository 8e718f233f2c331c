import { describe, expect, test } from "vitest";
import { createOwner } from "../support/clients/browser.ts";
import { runCommand } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import type { ServerPlace } from "../support/servers/server.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

/** What the doctor finds with these settings, as `check: about`. */
async function examine(place: ServerPlace, settings: Record<string, string>, ...checks: string[]) {
  const { code, out } = await runCommand(place, ["doctor", "--json"], settings);
  const found = JSON.parse(out) as Record<"faults" | "notes", { check: string; about: string }[]>;
  const about = (kind: "faults" | "notes") =>
    found[kind].filter(({ check }) => checks.includes(check)).map((finding) => finding.about);
  return { code, faults: about("faults"), notes: about("notes") };
}

describe.for(engines)("guests of a server on the internet (%s)", (engine) => {
  test("are noted until the operator or an administrator closes the server to them", async () => {
    const place = await placeForTest(engine);
    const server = await serverForTest({ engine, place });
    const onInternet = { PUBLIC_URL: "https://chat.example.com", TRUST_PROXY: "1" };
    const notes = async (settings: Record<string, string>) => {
      const { code, notes: found } = await examine(place, settings, "open-to-guests");
      expect(code).toBe(0);
      return found;
    };
    expect(await notes(onInternet)).toEqual([
      expect.stringMatching(
        /^everybody who finds https:\/\/chat\.example\.com\/? can chat without an account/,
      ),
    ]);
    for (const near of ["http://localhost:3000", "http://192.168.1.7:3000", "http://chat.lan"])
      expect(await notes({ PUBLIC_URL: near })).toEqual([]);
    expect(await notes({ ...onInternet, PARLANCE_ANONYMOUS: "off" })).toEqual([]);

    const owner = await createOwner(server);
    await owner.call("signInSettings.put", {
      body: { joining: "invitation", guests: false, email_domains: [] },
    });
    expect(await notes(onInternet)).toEqual([]);
  });
});

test("secrets that others can guess are named, never shown", async () => {
  const place = await placeForTest("sqlite");
  await (await serverForTest({ engine: "sqlite", place })).close();
  const faults = async (name: string, value: string) => {
    const found = await examine(place, { [name]: value }, "secrets");
    expect(JSON.stringify(found)).not.toContain(value);
    expect(found.code).toBe(found.faults.length);
    return found.faults;
  };
  for (const [name, guessable, random] of [
    ["PARLANCE_SECRET", "change-me-to-a-random-secret-of-32-characters", "c1f5b0d2e8a94c7d8b63f0a2719e4d5c"],
    ["PARLANCE_SECRET", "a".repeat(32), "c1f5b0d2-e8a9-4c7d-8b63-f0a2719e4d5c"],
    ["PARLANCE_API_KEY", `sk_aui_proj_${"x".repeat(20)}`, "sk_aui_proj_Zk3mQ8vT1nR5wY7bL2cX"],
    ["METRICS_TOKEN", "metrics-password", "9f2c71be04d85a63"],
  ] as const) {
    expect(await faults(name, guessable)).toEqual([`${name} has a secret that others can guess`]);
    expect(await faults(name, random)).toEqual([]);
  }
});
