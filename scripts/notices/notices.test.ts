import { expect, test } from "vitest";
import { importedPackages } from "../release/package-code.ts";
import { refusedLicenses, ruleLength, writeNotices } from "./notices.ts";
import { foldersWithNeeds, packagesIn, readLockfile, type Lockfile } from "./packages.ts";

const lockfile = readLockfile();
const foldersOf = (...names: string[]) => names.map((name) => `node_modules/${name}`);
const withNeeds = (...names: string[]) =>
  packagesIn(lockfile, foldersWithNeeds(lockfile, foldersOf(...names)));

test("every package that a clone installs has a license on the list", () => {
  const folders = Object.entries(lockfile.packages).flatMap(([folder, { dev }]) =>
    folder === "" || dev ? [] : folder,
  );
  expect(refusedLicenses(packagesIn(lockfile, folders))).toEqual([]);
});

test.each(["GPL-3.0-only", "SSPL-1.0", "MIT AND GPL-2.0-only", "(GPL-2.0-only OR AGPL-3.0-only)", undefined])(
  "a package with the license %s is refused by name",
  async (license) => {
    const entry = { version: "1.2.3", ...(license === undefined ? {} : { license }) };
    const foreign: Lockfile = {
      packages: {
        "node_modules/needy": { version: "1.0.0", license: "MIT", optionalDependencies: { odd: "1" } },
        "node_modules/odd": entry,
      },
    };
    const packages = packagesIn(foreign, foldersWithNeeds(foreign, foldersOf("needy")));
    await expect(writeNotices(packages)).rejects.toThrow(
      `odd 1.2.3 has the license "${license ?? "no license"}", which is not on the list in scripts/notices/licenses.ts.`,
    );
  },
);

test("of alternatives, one license on the list is enough", () => {
  const named = (license: string) => ({ name: "odd", version: "1", license, folder: "node_modules/odd" });
  expect(refusedLicenses([named("(GPL-2.0-only OR MIT)"), named("ISC AND MIT")])).toEqual([]);
});

test("each license has its whole text once, below the packages that it applies to", async () => {
  const notices = await writeNotices(
    withNeeds("mermaid", "sharp", "@fontsource-variable/literata", "react-dom"),
  );
  const sections = notices.split(`\n${"=".repeat(ruleLength)}\n`);
  const of = (name: string) => sections.filter((section) => section.includes(`\n${name} `)).join();
  expect(of("@fontsource-variable/literata")).toContain("SIL OPEN FONT LICENSE Version");
  expect(of("@img/sharp-libvips-linux-arm64")).toContain("GNU LESSER GENERAL PUBLIC LICENSE");
  expect(of("elkjs")).toContain("Eclipse Public License - v 2.0");
  expect(of("dompurify")).toContain("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
  expect(of("react-dom")).toContain("Copyright (c) Meta Platforms");
  expect(of("react-dom")).toContain("Permission is hereby granted");
  expect(of("react-dom")).toBe(of("scheduler"));
  expect(notices.split("GNU LESSER GENERAL PUBLIC LICENSE\n").length).toBe(2);
});

test("what the server imports is found, on every platform", async () => {
  const names = withNeeds(...(await importedPackages())).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["hono", "sharp", "@img/sharp-libvips-darwin-arm64", "@img/sharp-win32-x64"]),
  );
  expect(names).not.toContain("vite");
});
