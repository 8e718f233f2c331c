import { bundle } from "./bundle.ts";
import { bytes } from "./bytes.ts";
import { commits } from "./commits.ts";
import { files } from "./files.ts";
import { firstToken } from "./first-token.ts";
import { firstWord } from "./page/first-word.ts";
import { frames } from "./page/frames.ts";
import { exporting } from "./export.ts";
import { followers } from "./followers.ts";
import { firstScreen } from "./first-screen.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { hostile } from "./hostile.ts";
import { many, manyPostgres } from "./many.ts";
import { retrieval } from "./retrieval.ts";
import { rows } from "./rows.ts";
import { searchStreaming } from "./search-streaming.ts";
import { search } from "./search.ts";
import { sidebar } from "./sidebar.ts";
import { slowReaders } from "./slow-readers.ts";
import { start } from "./start.ts";
import { paging } from "./paging.ts";
import { pdf } from "./pdf.ts";
import { storageSize } from "./storage-size.ts";
import { uploadsStreaming } from "./uploads-streaming.ts";
import { typing } from "./page/typing.ts";
import { report, type Bench } from "./support/report.ts";
import { thread } from "./thread.ts";
import { tokens } from "./tokens.ts";

/** `npm run bench` runs every benchmark, `npm run bench -- tokens rows` only these. Results are written to `bench/results/`. */
const benches: Record<string, Bench> = {
  "first-token": firstToken,
  "first-word": firstWord,
  frames,
  typing,
  tokens,
  many,
  "many-postgres": manyPostgres,
  bytes,
  commits,
  followers,
  files,
  "uploads-streaming": uploadsStreaming,
  "slow-readers": slowReaders,
  hostile,
  "hostile-answers": hostileAnswers,
  rows,
  thread,
  search,
  "search-streaming": searchStreaming,
  retrieval,
  "storage-size": storageSize,
  paging,
  export: exporting,
  sidebar,
  pdf,
  start,
  bundle,
  "first-screen": firstScreen,
};

const selected = process.argv.slice(2);
const unknown = selected.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(", ")}. There are: ${Object.keys(benches).join(", ")}.`,
  );
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  console.log(`\n${name}: ${bench.about}`);
  await report(name, bench);
}
