import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RecordedRequest } from "#fixtures/model-server/model-server.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import { storeSettings, stores } from "#tests/support/servers/stores.ts";
import { eventually } from "../support/chat.ts";
import { startAppEnvironment } from "./environment.ts";

/** The clients with an adapter for attachments: assistant-ui's own, as it comes with the thread list. */
const clients = ["useChatRuntime", "useLocalRuntime", "useCloudRuntime"] as const;

const says = (body: unknown, words: string) => (JSON.stringify(body) ?? "").includes(words);
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** Whether the model received both files, in the way of each app. */
const reached: Record<(typeof clients)[number], (asked: RecordedRequest[]) => boolean> = {
  // The app's route sends the files themselves.
  useChatRuntime: (asked) =>
    asked.some(({ body }) => says(body, inBase64(picture)) && says(body, inBase64(lease))),
  // The app sends the addresses of the files.
  useLocalRuntime: (asked) =>
    asked.some(({ body }) => /\/v1\/content\/\S+\.png.*\/v1\/content\/\S+\.pdf/s.test(JSON.stringify(body))),
  // The service sends the files.
  useCloudRuntime: (asked) =>
    asked.some(({ body }) => says(body, inBase64(picture)) && says(body, "The rent is due on Monday")),
};

const picture = readFileSync("fixtures/files/garden.png");
const lease = document([{ content: line("The rent is due on Monday") }]);

describe.for(stores)("files on %s", async (store) => {
  const settings = await storeSettings(store);
  const { environment, openApp } = startAppEnvironment({ MODEL_READS: "image", ...settings });

  describe.each(clients)("from an app with %s", (client) => {
    test("are uploaded from another origin, reach the model, and are in the history", async () => {
      const { visitor, at, stored } = await openApp(client);
      await at.attach("garden.png", "image/png", picture);
      await at.attach("lease.pdf", "application/pdf", lease);
      await eventually(
        async () =>
          await at.attached.evaluateAll((all) => all.map((each) => each.getAttribute("data-status"))),
        (statuses) => expect(statuses).toEqual(["requires-action", "requires-action"]),
      );
      const puts = visitor.requests.filter((request) => request.startsWith("PUT "));
      // These clients do not send the size, so a bucket would accept any amount.
      expect(puts.map((request) => request.startsWith(`PUT ${environment.server.url}/`))).toEqual([
        true,
        true,
      ]);
      const words = `What is in these, ${client} on ${store}? tokens=4`;
      await at.ask(words);
      await stored(2);
      const title = await at.titled();
      await eventually(
        async () => reached[client](environment.model.requests.filter(({ body }) => says(body, words))),
        (has) => expect(has).toBe(true),
      );
      await visitor.page.reload();
      await at.open(title);
      const question = at.questions.first();
      await eventually(
        async () =>
          await question
            .getByRole("img", { name: "garden.png" })
            .evaluate((image) => (image as { naturalWidth?: number }).naturalWidth),
        (width) => expect(width).toBeGreaterThan(0),
      );
      const address = await question.getByRole("link", { name: "lease.pdf" }).getAttribute("href");
      const answer = await fetch(address!);
      expect(Buffer.from(await answer.arrayBuffer()).equals(lease)).toBe(true);
      await visitor.end();
    });
  });
});
