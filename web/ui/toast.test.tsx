import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { showToast, ToastHost } from "./toast.tsx";

test("shows three at once, and keeps every toast that has an undo action", () => {
  const undo = { label: "Undo", run: () => {} };
  showToast("Said 1.");
  showToast("Deleted 1.", { action: undo });
  showToast("Said 2.");
  showToast("Deleted 2.", { action: undo });
  showToast("Deleted 3.", { action: undo });
  showToast("Deleted 4.", { action: undo });
  showToast("Said 3.");
  showToast("Said 4.");
  const page = renderToStaticMarkup(<ToastHost />);
  expect(page.match(/(?:Said|Deleted) \d/g)).toEqual([
    "Deleted 1",
    "Deleted 2",
    "Deleted 3",
    "Deleted 4",
    "Said 4",
  ]);
});
