import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newAppFolder } from "../../scripts/clients/new-app-packages.ts";
import { eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import { clientPage, errorsOfNewApp, storedIn } from "./page.ts";

/**
 * The runtimes of LangGraph, AG-UI and React Native, as far as they use this service. Their packages are not in the lockfile:
 * they are tested in a new app (`npm run clients -- latest`).
 */
describe.skipIf(newAppFolder === undefined)("the newest runtimes of other agents", () => {
  const environment = startEnvironment();
  let app: ClientApp;
  /** How many answers AG-UI's agent was asked for, and how many answers the page has begun to store. */
  let [asked, begun] = [0, 0];
  beforeAll(async () => {
    const service = { url: environment.server.url, apiKey: "", workspaceOf: (user: string) => user };
    app = await startClientApp({
      modelUrl: environment.model.url,
      service,
      pages: { folder: "kits-app", plugins: [] },
      routes: {
        "/api/ag-ui": async (request) => {
          const own = ++asked;
          // If the agent is faster, AG-UI's runtime stores the answer twice.
          const isBegun = () => (begun >= own ? true : Promise.reject(new Error("The page stored nothing.")));
          await vi.waitFor(isBegun, { timeout: 15_000 });
          return await answerOfAgent(request);
        },
      },
    });
  });
  afterAll(async () => await app?.close());

  test.each(["AG-UI", "LangGraph", "React Native"])(
    "%s: an app chats, and finds its threads, titles and messages after a reload; threads are archived and deleted",
    async (client) => {
      const query = new URLSearchParams({ client, service: environment.server.url });
      const visitor = await visit(environment.browser, app.url, {
        path: `/?${query.toString()}`,
        service: environment.server.url,
        ignoredErrors: errorsOfNewApp,
      });
      visitor.context.on("response", (response) => {
        if (response.request().postData()?.includes('"open_run":true') === true) begun++;
      });
      const [at, stored] = [clientPage(visitor.page), storedIn(visitor)];
      await at.ask("The first of the apples\necho");
      await at.shows({ answer: "The first of the apples" });
      const title = await at.titled();
      await at.ask("And then the pears\necho");
      await at.shows({ answer: "And then the pears" });
      await stored(4);

      await visitor.page.reload();
      await at.open(title);
      await at.shows({ question: "The first of the apples", answer: "The first of the apples" });
      await at.shows({ question: "And then the pears", answer: "And then the pears" });
      expect(await at.answers.count()).toBe(2);

      await at.newThread();
      await at.ask("Only plums\necho");
      await at.shows({ answer: "Only plums" });
      await eventually(at.titles, (titles) => expect(titles).toHaveLength(2));
      await eventually(at.titles, (titles) => expect(titles).not.toContain("Untitled"));
      const second = (await at.titles()).find((one) => one !== title) ?? "";
      // AG-UI's runtime throws when the open thread is deleted (see docs/assistant-ui.md). After a reload none is open.
      await visitor.page.reload();
      await at.choose(title, "Archive");
      await at.choose(second, "Delete");
      await eventually(at.titles, (titles) => expect(titles).toEqual([]));
      await at.archived.getByText(title).waitFor();
      await visitor.end();
    },
  );
});

/** An agent that repeats the last message, as AG-UI's events. */
async function answerOfAgent(request: Request): Promise<Response> {
  const input = (await request.json()) as {
    threadId: string;
    runId: string;
    messages: { content: unknown }[];
  };
  const { threadId, runId } = input;
  const messageId = `answer-${runId}`;
  const delta = `Heard: ${JSON.stringify(input.messages.at(-1)?.content)}`;
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "Content-Type": "text/event-stream" },
  });
}
