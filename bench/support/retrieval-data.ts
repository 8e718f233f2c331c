import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type RetrievalMessage = { role: "user" | "assistant"; text: string };
export type RetrievalThread = { title: string; messages: RetrievalMessage[]; file?: RetrievalFile };
/** Attached to the first message. */
export type RetrievalFile = { name: string; pages: string[] };
export type RetrievalQuestion = {
  name: string;
  question: string;
  half: "tuned" | "held out";
  /** The end of the passage with the answer. */
  answer: string;
  language: string;
};

const folder = join(import.meta.dirname, "..", "retrieval");
const mark = / ?\[\^([a-z0-9]+)\]/g;

/** Reads the threads, files and questions in `bench/retrieval`. `marked` is the end of each marked passage, by its mark. */
export function readRetrievalData(): {
  threads: RetrievalThread[];
  questions: RetrievalQuestion[];
  marked: ReadonlyMap<string, { answer: string }>;
} {
  const threads: RetrievalThread[] = [];
  const answers = new Map<string, { answer: string; language: string }>();
  /** Removes the marks from a text and records the ends of the marked passages. */
  const unmarked = (text: string, language: string): string => {
    for (const { 1: id, index } of text.matchAll(mark))
      answers.set(id!, { answer: text.slice(Math.max(0, index - 20), index).trim(), language });
    return text.replace(mark, "");
  };
  for (const file of readdirSync(join(folder, "threads")).toSorted()) {
    const source = readFileSync(join(folder, "threads", file), "utf8");
    const name = file.replace(".md", "");
    const language = ["deutsch", "arabic", "chinese", "japanese"].includes(name) ? name : "english";
    for (const thread of source.split(/^# /m).slice(1)) {
      const [title = "", ...rest] = thread.split("\n");
      const messages = rest
        .join("\n")
        .split(/^(?=(?:you|assistant): )/m)
        .filter((text) => text.trim() !== "")
        .map((text): RetrievalMessage => ({
          role: text.startsWith("you: ") ? "user" : "assistant",
          text: text.replace(/^(?:you|assistant): /, "").trim(),
        }));
      for (const message of messages) message.text = unmarked(message.text, language);
      threads.push({ title, messages });
    }
  }
  for (const file of readdirSync(join(folder, "files")).toSorted()) {
    const [head = "", ...pages] = readFileSync(join(folder, "files", file), "utf8").split(/^---\n/m);
    const [, name = "", title = "", said = ""] = /^file: (.+)\nthread: (.+)\nsaid: (.+)$/m.exec(head) ?? [];
    threads.push({
      title,
      messages: [{ role: "user", text: said }],
      file: { name, pages: pages.map((page) => unmarked(page.trim(), "files")) },
    });
  }
  const questions = [
    ...readFileSync(join(folder, "questions.md"), "utf8").matchAll(/^([a-z0-9]+): (.+)$/gm),
  ].map(([, name = "", question = ""]): RetrievalQuestion => {
    const found = answers.get(name);
    if (found === undefined) throw new Error(`No passage is marked ${name}.`);
    return { name, question, half: halfOf(name), ...found };
  });
  return { threads, questions, marked: answers };
}

/** Half of the questions, chosen by a hash, is for tuning. */
function halfOf(name: string): RetrievalQuestion["half"] {
  return createHash("sha256").update(name).digest()[0]! % 2 === 0 ? "tuned" : "held out";
}
