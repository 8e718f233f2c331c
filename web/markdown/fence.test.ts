import fc from "fast-check";
import { expect, it } from "vitest";
import { closedFence, openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";

it("finds a fence that is still open", () => {
  expect(openFence("```ts title\nconst a = 1;\n")).toEqual({ language: "ts", code: "const a = 1;" });
  expect(openFence("~~~\n```\n")).toEqual({ language: "", code: "```" });
  expect(openFence("```\na\n```\n")).toBeUndefined();
  expect(openFence("```a`b\n")).toBeUndefined();
  expect(openFence("text\n```\n")).toBeUndefined();
  expect(openFence("```js")).toBeUndefined();
});

it("agrees with the parser for any content of the fence", () => {
  const line = fc.constantFrom(
    "",
    "a",
    "```",
    "````",
    "~~~",
    "  ```",
    "    ```",
    "``` ",
    "```x",
    "- b",
    "# c",
    "\tt",
  );
  fc.assert(
    fc.property(
      fc.constantFrom("```", "````js", "~~~ py x"),
      fc.array(line, { maxLength: 8 }),
      (head, body) => {
        const source = [head, ...body, ""].join("\n");
        const open = openFence(source);
        const closed = closedFence(source);
        const [first, ...others] = parseMarkdown(source).children;
        expect(first).toMatchObject({ type: "code", value: (open ?? closed)?.code });
        if (open !== undefined) expect(others).toEqual([]);
        else
          expect(source.slice(0, closed?.end).replace(/\n$/, "")).toHaveLength(
            first?.position?.end.offset ?? 0,
          );
      },
    ),
  );
});
