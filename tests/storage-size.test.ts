import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { storeMessages } from "./support/data/stored-messages.ts";

/** The size of a SQLite database of so many messages after VACUUM. */
async function sizeWith(messages: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "parlance-size-"));
  try {
    await storeMessages(folder, messages);
    const file = new DatabaseSync(join(folder, "parlance.db"));
    file.exec("vacuum");
    const [size] = file
      .prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size")
      .all();
    file.close();
    return Number(size!.bytes);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const messages = 4_000;
/** Fewer messages need more: the index of 100,000 is denser, so that each takes at most 3 KiB. The benchmark shows that. */
const maxBytes = 3_200;

test(
  "a message of 1,100 characters takes 3 KiB with its run and its search index",
  { timeout: 120_000 },
  async () => {
    const [empty, full] = [await sizeWith(0), await sizeWith(messages)];
    expect((full - empty) / messages).toBeLessThanOrEqual(maxBytes);
  },
);
