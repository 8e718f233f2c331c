import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { newAppPackages } from "./scripts/clients/new-app-packages.ts";

// One more than there are cores: the tests of a file often wait for a database, a browser or another process.
const maxWorkers = availableParallelism() + 1;

/**
 * Vitest sorts files by the times of the last run. In a new clone it sorts by size, and the drill, a short file that runs
 * for a minute, would run alone at the end.
 */
class DrillFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isDrill = ({ moduleId }: TestSpecification) => moduleId.includes("/drill/drill.test.ts");
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not an array's
    const sorted = await super.sort(files);
    return [...sorted.filter(isDrill), ...sorted.filter((file) => !isDrill(file))];
  }
}

// 15 s instead of 1: two busy cores are slow.
const poll = { timeout: 15_000, interval: 20 };

export default defineConfig({
  test: {
    sequence: { sequencer: DrillFirst },
    projects: [
      {
        plugins: newAppPackages(),
        test: {
          name: "unit",
          include: ["{contract,storage,server,web,cli,fixtures,tests,scripts,drill}/**/*.test.{ts,tsx}"],
          exclude: ["tests/package/**"],
          environment: "node",
          expect: { poll },
          // One process per core for all files: nine times quicker than a fresh one for each. A test that
          // changes something global puts it back.
          pool: "forks",
          isolate: false,
          maxWorkers,
          globalSetup: [
            "tests/support/temporary-folder.ts",
            "tests/support/postgres/postgres-for-the-run.ts",
            "tests/support/postgres/migrated-databases.ts",
            "tests/support/s3/s3-for-the-run.ts",
            "scripts/test/server-bundle.ts",
          ],
          setupFiles: [
            "tests/support/quiet-console.ts",
            "tests/support/english.ts",
            "tests/support/clients/record-undocumented.ts",
          ],
          // 20 s: a first query on a PostgreSQL that shares two cores with everything else has taken 6 s.
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "package",
          include: ["tests/package/**/*.test.ts"],
          environment: "node",
          expect: { poll },
          pool: "forks",
          maxWorkers: 1,
          globalSetup: ["tests/support/temporary-folder.ts"],
          // 5 minutes: packages are installed.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        plugins: newAppPackages(),
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.{ts,tsx}"],
          environment: "node",
          expect: { poll },
          pool: "forks",
          isolate: false,
          maxWorkers,
          globalSetup: [
            "tests/support/temporary-folder.ts",
            "e2e/support/global-setup.ts",
            "tests/support/s3/s3-for-the-run.ts",
            "scripts/test/server-bundle.ts",
          ],
          setupFiles: ["tests/support/quiet-console.ts", "tests/support/clients/record-undocumented.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
