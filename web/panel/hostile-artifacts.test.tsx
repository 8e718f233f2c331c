import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Artifact } from "#contract/artifacts/artifacts.ts";
import { hostileMarkup } from "#fixtures/hostile-markup.ts";
import { problemsIn } from "#web/testing/markup-problems.ts";
import { CodeView } from "./code-view.tsx";
import { Preview } from "./preview.tsx";

beforeAll(() => void vi.stubGlobal("location", { origin: "https://parlance.example" }));
afterAll(() => void vi.unstubAllGlobals());

// Programs and diagrams are in a sandboxed frame once they run (e2e/panel/programs.test.ts), Markdown has a test of its own, and
// the browser reads the rows of a table.
it.each(["html", "react", "mermaid", "markdown", "csv", "svg", "code"] as const)(
  "shows an artifact of the kind %s with hostile code and a hostile name, cut at each position, without running it",
  (kind) => {
    for (const text of hostileMarkup)
      for (let end = 1; end <= text.length; end++) {
        const code = text.slice(0, end);
        const version = { id: "msg_1", messageId: "msg_1", code, isClosed: true };
        const artifact = { kind, language: kind, title: code, versions: [version] } as unknown as Artifact;
        const preview = createElement(Preview, {
          artifact,
          version: version as never,
          name: code,
          onFix: undefined,
        });
        const source = createElement(CodeView, { code, language: kind, isOpen: false });
        expect(problemsIn(renderToStaticMarkup(preview) + renderToStaticMarkup(source)), code).toEqual([]);
      }
  },
);
