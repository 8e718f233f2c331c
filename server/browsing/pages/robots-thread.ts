import { parentPort } from "node:worker_threads";
import robotsParser from "robots-parser";
import type { StartedMessage, WorkerMessage } from "../../lib/isolated-worker.ts";

/** Whether the rules at an address let this program read a page. */
export type RobotsTask = { address: string; rules: string; url: string; agent: string };

export type RobotsOutcome = { isAllowed: boolean };

/** Its types describe a default export, but it is a CommonJS module. */
const parseRobots = robotsParser as unknown as (
  address: string,
  rules: string,
) => { isAllowed(url: string, agent: string): boolean | undefined };

parentPort?.on("message", ({ id, body }: WorkerMessage<RobotsTask>) => {
  parentPort?.postMessage({ id, begins: true } satisfies StartedMessage);
  const { address, rules, url, agent } = body;
  const isAllowed = parseRobots(address, rules).isAllowed(url, agent) !== false;
  parentPort?.postMessage({ id, body: { isAllowed } } satisfies WorkerMessage<RobotsOutcome>);
});
