import { describe, expect, onTestFinished, test } from "vitest";
import { startReleasePublisher } from "#fixtures/release-publisher.ts";
import { createOwner, join } from "../support/clients/browser.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import type { TestServer } from "../support/servers/server.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

const dayMs = 24 * 3_600_000;

/** Lets time pass, and waits for the sweep after it. */
async function wait({ clock, place }: TestServer, ms: number): Promise<void> {
  clock.advance(ms);
  const isDone = `select 1 from jobs where id = 'sweep' and lease_owner is null and due_at > ${clock.now()}`;
  await expect.poll(async () => await rawSql(place, (run) => run(isDone))).toHaveLength(1);
}

describe.for(engines)("looking for newer releases (%s)", (engine) => {
  test("happens once a day, and only after an administrator has switched it on", async () => {
    const publisher = await startReleasePublisher();
    onTestFinished(publisher.close);
    const settings = { UPDATE_URL: publisher.url, FETCH_ALLOWED_HOSTS: publisher.host };
    const server = await serverForTest({ engine, place: await placeForTest(engine), settings });
    const owner = await createOwner(server);
    const member = await join(owner, { email: "ada@example.com" });
    for (const who of [member, server.guest, server.person("ada")])
      for (const name of ["health.updates", "health.lookForUpdates"] as const)
        expect(
          (await who.ask(name, name === "health.updates" ? {} : { body: { is_on: true } })).status,
        ).not.toBe(200);
    await wait(server, 2 * dayMs);
    expect(await owner.call("health.updates")).toMatchObject({
      is_on: false,
      looked_at: null,
      source: publisher.url,
    });
    expect(publisher.requests).toEqual([]);

    publisher.publish(JSON.stringify({ version: "99.1.0", homepage: "https://example.com/notes" }));
    const turn = async (is_on: boolean) => await owner.call("health.lookForUpdates", { body: { is_on } });
    const newer = { version: "99.1.0", notes_url: "https://example.com/notes" };
    expect(await turn(true)).toMatchObject({ is_on: true, has_failed: false, newer, installed_as: "clone" });
    expect(publisher.requests).toEqual([
      {
        url: "/parlance-server/latest",
        headers: ["accept", "accept-encoding", "connection", "host", "user-agent"],
      },
    ]);
    // Not again on the same day.
    await turn(false);
    await turn(true);
    await wait(server, dayMs / 2);
    expect(publisher.requests).toHaveLength(1);
    publisher.publish('{"version":"<b>newer</b>"}');
    await wait(server, dayMs);
    await expect
      .poll(async () => await owner.call("health.updates"))
      .toMatchObject({ has_failed: true, newer });
    expect(publisher.requests).toHaveLength(2);
    await turn(false);
    await wait(server, 2 * dayMs);
    expect(publisher.requests).toHaveLength(2);
  });
});
