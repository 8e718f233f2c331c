import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { SourcePart, UrlSource } from "#contract/parts/source.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { cutText } from "#contract/text.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import { ModelError } from "#server/models/model.ts";
import type { AnswerArtifacts } from "#server/tools/artifacts/answer-artifacts.ts";
import type { Citable } from "#server/tools/tool.ts";
import type { CallLog } from "../calls/call-log.ts";
import type { PreparedRun } from "../prepare/prepared-run.ts";
import type { StoredStep } from "../reply-steps.ts";
import type { Assembler } from "./assemble.ts";
import type { FailedCalls } from "./plan-calls.ts";
import type { createReadTexts } from "./read-texts.ts";

/** What an answer is made from, and what of it there is already. */
export type AnswerInput = PreparedRun & {
  /** Whether the last text of the reply was broken off because a process handed the run over. */
  isHandedOver?: boolean;
  /** The parts of the reply if the run continues it, and the number of parts at the end of each earlier step. */
  partsBefore: readonly Part[];
  stepEnds: readonly number[];
  /** The steps of `partsBefore` whose parts have data of their provider. */
  storedSteps?: readonly StoredStep[];
  /** Stores a step with such data before its tools are executed. */
  saveStep?(step: StoredStep): Promise<void>;
  /** The indexes of the parts in `partsBefore` whose calls a person just approved. They are executed first. */
  approved: readonly number[];
};

/** An answer of which nothing is written. */
export const newAnswer = { partsBefore: [], stepEnds: [], approved: [] } satisfies Partial<AnswerInput>;

export type AnswerOptions = { clock: Clock; logger: Logger; signal: AbortSignal; calls: CallLog };

/** What the steps of one answer share. */
export type AnswerState = {
  assembler: Assembler;
  citations: Citations;
  artifacts: AnswerArtifacts;
  size: AnswerSize;
  read: ReturnType<typeof createReadTexts>;
  failed: FailedCalls;
};

/** Strangers write titles, and each is stored with the answer. */
const titleCharactersMax = 300;

/** The numbered sources of one answer. Tools add sources, and each becomes one part. */
type Citations = ReturnType<typeof createCitations>;

/** `before` is the reply so far. */
export function createCitations(before: readonly Part[]) {
  const sources = before.flatMap((part) => (part.type === "source" ? [part] : []));
  const numbers = new Map(sources.map((source, index) => [keyOf(source), index + 1]));
  let last = sources.length;
  let newSources: UrlSource[] = [];
  return {
    /** The number of this source in the answer. The same URL has the same number. */
    cite({ url, title }: Citable): number {
      const known = numbers.get(url);
      if (known !== undefined) return known;
      numbers.set(url, ++last);
      const titled = title === undefined ? {} : { title: cutText(title, titleCharactersMax) };
      newSources.push({ type: "source", sourceType: "url", id: `source_${last}`, url, ...titled });
      return last;
    },
    /** Counts a source that the model itself added to the answer. */
    addModelSource(source: SourcePart): void {
      last++;
      const key = keyOf(source);
      if (!numbers.has(key)) numbers.set(key, last);
    },
    /** The sources that were cited since the last call. */
    takeSources(): UrlSource[] {
      const taken = newSources;
      newSources = [];
      return taken;
    },
  };
}

function keyOf(source: SourcePart): string {
  return source.sourceType === "url" ? source.url : source.id;
}

/** The size of an answer, including what earlier runs wrote of it. */
type AnswerSize = {
  /** Counts the event and returns it. Throws `answer-too-long` if the answer would be larger than the server stores. */
  count(event: RunEvent): RunEvent;
  /** Throws `answer-too-long` if the answer is larger already. */
  check(): void;
};

/** `before` is the answer so far. */
export function sizeOfAnswer(before: readonly Part[]): AnswerSize {
  let bytes = before.length === 0 ? 0 : jsonBytes(before);
  let parts = before.length;

  function check(): void {
    if (bytes > limits.runBytesMax || parts > limits.runPartsMax) throw new ModelError("answer-too-long");
  }

  return {
    count(event) {
      bytes += addedBytes(event);
      if ("part" in event) parts = Math.max(parts, event.part + 1);
      check();
      return event;
    },
    check,
  };
}

/** What an event of any kind adds: the JSON of its values. Its own names and numbers are not stored for each piece. */
function addedBytes(event: RunEvent): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(event))
    if (typeof value !== "number" && name !== "type") bytes += jsonBytes(value);
  return bytes;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
