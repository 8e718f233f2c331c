import { distance } from "fastest-levenshtein";

/** Kubernetes sets these for services whose names begin with "parlance". */
const fromKubernetes = /^PARLANCE(_[A-Z0-9_]+)?_(PORT|SERVICE_HOST|SERVICE_PORT)(_|$)/;

/** Set by `npm start` and by the tests. */
const fromOurPrograms = /^PARLANCE_(TEST_|RUNNER_PID$|TALLY_FILE$)/;

const prefix = "PARLANCE_";

/** Unknown names that begin with `PARLANCE_`: misspelt settings, which would silently have no effect. */
export function findUnknownNames(names: readonly string[], settings: readonly string[]): string[] {
  return names
    .filter((name) => name.toUpperCase().startsWith(prefix) && !settings.includes(name))
    .filter((name) => !fromKubernetes.test(name) && !fromOurPrograms.test(name))
    .map((name) => {
      const near = nearest(name, settings) ?? nearest(name.slice(prefix.length), settings);
      const remedy = near === undefined ? "docs/settings.md lists all settings." : `Did you mean ${near}?`;
      return `${name} is not a setting. ${remedy}`;
    });
}

/** Other names that differ from a setting by one or two letters. They may belong to another program. */
export function findSimilarNames(names: readonly string[], settings: readonly string[]): string[] {
  return names
    .filter((name) => !name.toUpperCase().startsWith(prefix) && !settings.includes(name))
    .flatMap((name) => {
      const near = nearest(name, settings);
      return near === undefined ? [] : [`${name} is not a setting and has no effect. Did you mean ${near}?`];
    });
}

/** The most similar setting, if it differs by a typing error. In short names, any letter may make another word. */
function nearest(name: string, settings: readonly string[]): string | undefined {
  const most = name.length < 6 ? 0 : name.length < 10 ? 1 : 2;
  return settings
    .map((setting) => ({ setting, letters: distance(name.toUpperCase(), setting) }))
    .filter(({ letters }) => letters <= most)
    .toSorted((a, b) => a.letters - b.letters)[0]?.setting;
}
