import type { Page } from "playwright-core";
import { chat } from "./chat.ts";

/** A file as it is given to the page: its bytes in base64. */
export type Given = { name: string; type: string; body: string };

/** Drops files onto the page, as a person does who drags them from their desk. */
export async function drop(page: Page, files: Given[]): Promise<void> {
  await chat(page).composer.waitFor();
  // As text: it runs in the page, where nothing of this file's world is known.
  await page.evaluate(`(() => {
    const transfer = new DataTransfer();
    for (const { name, type, body } of ${JSON.stringify(files)}) {
      const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
    }
    const at = document.querySelector("main");
    for (const kind of ["dragover", "drop"])
      at.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  })()`);
}
