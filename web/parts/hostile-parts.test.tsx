import { createElement, type ComponentType } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { hostileMarkup } from "#fixtures/hostile-markup.ts";
import { filled, partExamples } from "#fixtures/part-examples.ts";
import { problemsIn } from "#web/testing/markup-problems.ts";
import { partViews } from "./part-views.ts";
import { Sources } from "./source.tsx";

beforeAll(() => void vi.stubGlobal("location", { origin: "https://parlance.example" }));
afterAll(() => void vi.unstubAllGlobals());

function pageOf(kind: string, part: unknown): string {
  // The view of a source is below the answer.
  if (kind === "source") return renderToStaticMarkup(createElement(Sources, { sources: [part] as never }));
  const View = partViews[kind as keyof typeof partViews].View as ComponentType<Record<string, unknown>>;
  return renderToStaticMarkup(createElement(View, { part, isRunning: false, role: "assistant" }));
}

/** What a part of this kind has to have. */
const expected = /^<audio [^>]*src="data:audio\/wav;base64,[^"]*"[^>]*>$/;

// The text of an answer is Markdown, which has a test of its own.
it.each(Object.entries(partExamples))(
  "shows a part of the kind %s with hostile markup in each field, cut at each position, without running it",
  (kind, example) => {
    for (const text of hostileMarkup)
      for (let end = 1; end <= text.length; end++) {
        const html = pageOf(kind, filled(example, text.slice(0, end)));
        expect(html, text).not.toBe("");
        expect(
          problemsIn(html).filter((problem) => kind !== "audio" || !expected.test(problem)),
          text.slice(0, end),
        ).toEqual([]);
      }
  },
);
