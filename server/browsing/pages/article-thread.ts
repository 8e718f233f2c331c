import { parentPort } from "node:worker_threads";
import type { StartedMessage, WorkerMessage } from "../../lib/isolated-worker.ts";
import type { Article, ArticleFailure } from "./article.ts";

/** A page to extract the text of. */
export type PageTask = { html: string; url: string };

export type PageOutcome = Article | ArticleFailure | { failure: "damaged"; cause: string };

parentPort?.on("message", (task: WorkerMessage<PageTask>) => {
  void execute(task);
});

async function execute({ id, body: { html, url } }: WorkerMessage<PageTask>): Promise<void> {
  const { extractArticle } = await import("./article.ts");
  parentPort?.postMessage({ id, begins: true } satisfies StartedMessage);
  let outcome: PageOutcome;
  try {
    outcome = extractArticle(html, url);
  } catch (error) {
    outcome = { failure: "damaged", cause: String(error).slice(0, 500) };
  }
  parentPort?.postMessage({ id, body: outcome } satisfies WorkerMessage<PageOutcome>);
}
