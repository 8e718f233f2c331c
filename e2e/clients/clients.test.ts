import { describe, expect, test } from "vitest";
import { eventually } from "../support/chat.ts";
import { clientNames } from "./names.ts";
import { startAppEnvironment } from "./environment.ts";

const { openApp, backend } = startAppEnvironment();

const signUps = (requests: string[]) =>
  requests.filter((request) => request.endsWith("/tokens/anonymous")).length;

let seeding: Promise<string> | undefined;

/** A person with 45 threads, which the tests only read. */
async function userWithThreads(): Promise<string> {
  const user = "many";
  const startMs = Date.parse("2026-01-01T00:00:00Z");
  seeding ??= Promise.all(
    Array.from({ length: 45 }, async (_, index) =>
      backend(user).threads.create({
        title: `Thread ${index}`,
        last_message_at: new Date(startMs + index * 60_000),
      }),
    ),
  ).then(() => user);
  return await seeding;
}

describe.each(clientNames)("an app with %s", (client) => {
  test("signs up, chats, and restores threads, titles and history after a reload; separates, archives and deletes threads", async () => {
    const { visitor, at, stored } = await openApp(client);
    await at.ask("Say after me: gardens and rivers\necho");
    await at.shows({ answer: "Say after me: gardens and rivers" });
    const title = await at.titled();
    await at.ask("And now: stones\necho");
    await at.shows({ answer: "And now: stones" });
    await stored(4);

    await visitor.page.reload();
    await at.open(title);
    await at.shows({ question: "Say after me: gardens", answer: "Say after me: gardens and rivers" });
    await at.shows({ question: "And now: stones", answer: "And now: stones" });
    expect(await at.answers.count()).toBe(2);
    expect(await at.titles()).toEqual([title]);
    expect(signUps(visitor.requests)).toBe(1);

    // The chat continues.
    await at.ask("And windows\necho");
    await at.shows({ answer: "And windows" });
    await stored(6);

    // Another thread is separate. One is archived, the other one deleted.
    await at.newThread();
    await at.ask("The second of stones\necho");
    await at.shows({ answer: "The second of stones" });
    await stored(8);
    await eventually(at.titles, (titles) => {
      expect(titles).toHaveLength(2);
      expect(titles).not.toContain("Untitled");
    });
    const second = (await at.titles()).find((one) => one !== title) ?? "";

    await at.open(title);
    await at.shows({ answer: "And windows" });
    expect(await at.answers.count()).toBe(3);
    await at.open(second);
    await at.shows({ answer: "The second of stones" });
    expect(await at.answers.count()).toBe(1);

    await at.choose(title, "Archive");
    await eventually(at.titles, (titles) => expect(titles).toEqual([second]));
    await at.choose(second, "Delete");
    await eventually(at.titles, (titles) => expect(titles).toEqual([]));
    await visitor.page.reload();
    if (client !== "useCloudChat") {
      // With its own threads, useCloudChat does not list the archive.
      await at.archived.getByText(title).waitFor();
      expect(await at.archived.count()).toBe(1);
    }
    expect(await at.titles()).toEqual([]);
    await visitor.end();
  });

  test("shows more than one page of threads to a person who signed in through the app", async () => {
    const { visitor, at } = await openApp(client, { user: await userWithThreads() });
    await eventually(at.titles, (titles) => expect(titles.length).toBeGreaterThanOrEqual(20));
    const more = visitor.page.getByRole("button", { name: "Show more", exact: true });
    for (let pages = 0; pages < 3 && (await at.titles()).length < 45; pages++) {
      const before = (await at.titles()).length;
      if ((await more.count()) > 0) await more.click();
      await eventually(at.titles, (titles) => expect(titles.length).toBeGreaterThan(before));
    }
    expect(await at.titles()).toEqual(Array.from({ length: 45 }, (_, index) => `Thread ${44 - index}`));
    expect(signUps(visitor.requests)).toBe(0);
    await visitor.end();
  });

  test("shows a failure and continues", async () => {
    const { visitor, at } = await openApp(client, { networkErrorsExpected: true });
    await at.page
      .getByRole("textbox", { name: "Message" })
      .fill("Fail for once status=500 says=The_cellar_is_wet");
    await at.page.getByRole("button", { name: "Send", exact: true }).click();
    await at.alert.first().waitFor();
    expect((await at.alert.first().innerText()).trim()).not.toBe("");
    await at.ask("And again\necho");
    await at.shows({ answer: "And again" });
    await visitor.end();
  });
});
