import { artifact } from "./page/artifact.ts";
import { audit } from "./people/audit.ts";
import { bundle } from "./page/bundle.ts";
import { bytesPerReader } from "./runs/bytes-per-reader.ts";
import { compaction } from "./runs/compaction.ts";
import { commits } from "./runs/commits.ts";
import { files } from "./storage/files.ts";
import { firstToken } from "./runs/first-token.ts";
import { firstWord } from "./page/first-word.ts";
import { frames } from "./page/frames.ts";
import { exporting } from "./storage/export.ts";
import { importing } from "./storage/import.ts";
import { followers } from "./runs/followers.ts";
import { firstScreen } from "./page/first-screen.ts";
import { hostileAnswers } from "./page/hostile-answers.ts";
import { hostile } from "./runs/hostile.ts";
import { hostileGuest } from "./runs/hostile-guest.ts";
import { hostileReaders } from "./runs/hostile-readers.ts";
import { manyRuns, manyRunsPostgres } from "./runs/many-runs.ts";
import { retrieval } from "./search/retrieval.ts";
import { appendAndOpen } from "./storage/append-and-open.ts";
import { searchStreaming } from "./search/search-streaming.ts";
import { search } from "./search/search.ts";
import { sidebar } from "./page/sidebar.ts";
import { memory } from "./runs/memory.ts";
import { sharedPage } from "./runs/shared-page.ts";
import { slowReaders } from "./runs/slow-readers.ts";
import { start } from "./ways/start.ts";
import { providers } from "./providers/providers.ts";
import { movingIn } from "./people/move-in.ts";
import { people } from "./people/people.ts";
import { paging } from "./storage/paging.ts";
import { pdf } from "./storage/pdf.ts";
import { storageSize } from "./storage/storage-size.ts";
import { uploadsStreaming } from "./storage/uploads-streaming.ts";
import { typing } from "./page/typing.ts";
import { report, type Bench } from "./support/report.ts";
import { thread } from "./page/thread.ts";
import { streamedTokens, tokens } from "./runs/tokens.ts";

/**
 * `npm run bench` runs every benchmark, `npm run bench -- tokens frames` only these. `npm run bench -- hostile` also runs
 * those whose names begin with `hostile-`. Results are written to `bench/results/`.
 */
const benches: Record<string, Bench> = {
  "first-token": firstToken,
  "first-word": firstWord,
  frames,
  typing,
  tokens,
  "streamed-tokens": streamedTokens,
  "many-runs": manyRuns,
  "many-runs-postgres": manyRunsPostgres,
  memory,
  "bytes-per-reader": bytesPerReader,
  providers,
  commits,
  followers,
  files,
  "uploads-streaming": uploadsStreaming,
  "slow-readers": slowReaders,
  "shared-page": sharedPage,
  hostile,
  "hostile-guest": hostileGuest,
  "hostile-answers": hostileAnswers,
  "hostile-readers": hostileReaders,
  "append-and-open": appendAndOpen,
  artifact,
  thread,
  search,
  "search-streaming": searchStreaming,
  retrieval,
  compaction,
  "storage-size": storageSize,
  paging,
  export: exporting,
  import: importing,
  "move-in": movingIn,
  sidebar,
  people,
  audit,
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
  const isSelected = selected.includes(name) || (selected.includes("hostile") && name.startsWith("hostile-"));
  if (selected.length > 0 && !isSelected) continue;
  console.log(`\n${name}: ${bench.about}`);
  await report(name, bench);
}
