import type { ThreadMessage } from "@assistant-ui/react";
import { artifactsOf } from "#web/markdown/code/artifacts.ts";

/** A question, and the answer below it with what it has. */
export type Question = {
  id: string;
  answerId: string | undefined;
  text: string;
  sections: readonly OutlineSection[];
};

/** What an answer has: its headings, and what it makes. */
export type OutlineSection =
  | { kind: "heading"; text: string; level: number }
  | {
      kind: "artifact";
      text: string | undefined;
      key: string;
      /** The version that the answer ends with. */
      v: string | undefined;
      language: string;
    };

/** Of each line. More is not shown, and patterns would take long for a line of a million characters. */
const lineCharacters = 240;

type QuestionSource = {
  message: ThreadMessage;
  answerId: string | undefined;
  sections: readonly OutlineSection[];
};

/**
 * Returns a function that finds the questions of the loaded part of the visible branch. It returns the same list until a
 * question changes, because it is called with every word of an answer.
 */
export function createQuestionList(): (messages: readonly ThreadMessage[]) => readonly Question[] {
  let sources: QuestionSource[] = [];
  let questions: Question[] = [];
  return (messages) => {
    const next = messages.flatMap((message, index): QuestionSource[] => {
      if (message.role !== "user") return [];
      const below = messages[index + 1];
      const answer = below?.role === "assistant" ? below : undefined;
      return [{ message, answerId: answer?.id, sections: outlineSectionsOf(answer) }];
    });
    const isSame =
      next.length === sources.length &&
      next.every(
        ({ message, answerId, sections }, at) =>
          message === sources[at]!.message &&
          answerId === sources[at]!.answerId &&
          sections === sources[at]!.sections,
      );
    if (isSame) return questions;
    sources = next;
    questions = next.map(({ message, answerId, sections }) => ({
      id: message.id,
      answerId,
      text: firstLine(textOf(message)),
      sections,
    }));
    return questions;
  };
}

const known = new WeakMap<ThreadMessage, readonly OutlineSection[]>();

/** None while the answer is being written: they would be found again with each word. */
export function outlineSectionsOf(message: ThreadMessage | undefined): readonly OutlineSection[] {
  if (message?.role !== "assistant" || message.status.type === "running") return none;
  const found = known.get(message) ?? [...headingsOf(textOf(message)), ...makesOf(message)];
  known.set(message, found);
  return found;
}

const none: readonly OutlineSection[] = [];

/** The headings of Markdown, without those in code. */
export function headingsOf(markdown: string): OutlineSection[] {
  let fence: string | undefined;
  return markdown.split("\n").flatMap((whole): OutlineSection[] => {
    const line = whole.slice(0, lineCharacters);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
    }
    const [, marks = "", words = ""] = /^ {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
    const text = plain(words);
    return fence !== undefined || text === "" ? [] : [{ kind: "heading", text, level: marks.length }];
  });
}

function makesOf(message: ThreadMessage): OutlineSection[] {
  return artifactsOf([{ messageId: message.id, texts: textsOf(message) }]).map(
    ({ key, title, language, versions }) => ({
      kind: "artifact",
      text: title,
      key,
      v: versions.at(-1)?.id,
      language,
    }),
  );
}

function textsOf({ content }: ThreadMessage): string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function textOf(message: ThreadMessage): string {
  return textsOf(message).join("\n\n");
}

/** The first line of Markdown, in plain text. */
export function firstLine(text: string): string {
  return plain((text.trimStart().split("\n", 1)[0] ?? "").slice(0, lineCharacters));
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*_`~]+/g, "")
    .replace(/^[#>\s]+/, "")
    .trim();
}
