import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/chat.ts";
import { startAppEnvironment, type AtApp } from "./environment.ts";

/** What people do with messages and threads that are stored, in the clients that have assistant-ui's runtime. */

const { openApp } = startAppEnvironment();

const clients = ["useChatRuntime", "useLocalRuntime", "useDataStreamRuntime", "useCloudRuntime"] as const;

const click = async (of: ReturnType<Page["locator"]>, name: string) =>
  await of.getByRole("button", { name, exact: true }).click();

const showsBranch = async (of: ReturnType<Page["locator"]>, branch: string) =>
  await of.getByText(branch, { exact: true }).waitFor();

async function reload({ visitor, at }: AtApp): Promise<void> {
  const title = await at.titled();
  await visitor.page.reload();
  await at.open(title);
}

describe.each(clients)("an app with %s", (client) => {
  test("regenerates an answer and edits a question, and has both branches of each after a reload; renames the thread", async () => {
    const app = await openApp(client);
    const { visitor, at, stored } = app;
    const [question, answer] = [at.questions.first(), at.answers.first()];
    await at.ask("The first of rivers\necho");
    await at.shows({ answer: "The first of rivers" });
    await stored(2);
    await click(answer, "Again");
    await showsBranch(answer, "2 of 2");
    await stored(3);

    await click(question, "Edit");
    await at.page.getByRole("textbox", { name: "Edited" }).fill("The second of stones\necho");
    await at.page.getByRole("button", { name: "Save", exact: true }).click();
    await at.shows({ answer: "The second of stones" });
    await showsBranch(question, "2 of 2");
    await stored(5);

    await reload(app);
    await at.shows({ question: "The second of stones", answer: "The second of stones" });
    await showsBranch(question, "2 of 2");
    await click(question, "Previous");
    await at.shows({ question: "The first of rivers", answer: "The first of rivers" });
    await showsBranch(question, "1 of 2");
    await showsBranch(answer, "1 of 2");
    await click(answer, "Next");
    await showsBranch(answer, "2 of 2");
    // The chat continues on this branch.
    await at.ask("And windows\necho");
    await at.shows({ answer: "And windows" });
    await stored(7);
    await reload(app);
    await at.shows({ question: "The first of rivers", answer: "And windows" });

    await click(at.active.first(), "Rename");
    await eventually(at.titles, (titles) => expect(titles).toEqual(["Renamed by hand"]));
    await reload(app);
    expect(await at.titles()).toEqual(["Renamed by hand"]);
    await visitor.end();
  });
});

/** Until 0.3.31, the history adapter of `@assistant-ui/core` throws an error instead. */
const clientDeletes = !readFileSync(
  "node_modules/@assistant-ui/core/dist/react/runtimes/cloud/AssistantCloudThreadHistoryAdapter.js",
  "utf8",
).includes("does not support deleting");

// An app with useChatRuntime or useCloudRuntime cannot bring its own history adapter.
const deleting: { client: (typeof clients)[number]; deletes: boolean }[] = [
  { client: "useLocalRuntime", deletes: true },
  { client: "useDataStreamRuntime", deletes: true },
];
if (clientDeletes)
  for (const client of ["useChatRuntime", "useLocalRuntime", "useDataStreamRuntime"] as const)
    deleting.push({ client, deletes: false });

test.for(deleting)("$client deletes a message, and keeps those after it", async ({ client, deletes }) => {
  const app = await openApp(client, { deletes });
  const { visitor, at, stored } = app;
  await at.ask("The fourth of rivers\necho");
  await at.shows({ answer: "The fourth of rivers" });
  await at.ask("The fifth of stones\necho");
  await at.shows({ answer: "The fifth of stones" });
  await stored(4);
  await reload(app);
  await at.shows({ answer: "The fifth of stones" });
  await click(at.answers.first(), "Delete message");
  const count = async () => [await at.questions.count(), await at.answers.count()];
  await eventually(count, (counts) => expect(counts).toEqual([2, 1]));
  await at.ask("And windows\necho");
  await at.shows({ answer: "And windows" });
  await stored(6);
  await reload(app);
  await at.shows({ question: "The fourth of rivers", answer: "The fifth of stones" });
  expect(await count()).toEqual([3, 2]);
  await visitor.end();
});
