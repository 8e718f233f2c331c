import { readFile } from "node:fs/promises";
import { parse, parseAllDocuments } from "yaml";

export type ComposeFile = {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
};
export type ComposeService = {
  profiles: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, unknown>;
  volumes: string[];
};

/** compose.yaml as Docker Compose reads it, with these variables in the place of `${…}`. */
export async function readCompose(variables: Record<string, string>): Promise<ComposeFile> {
  const withVariables = (text: string): string =>
    text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
      const value = variables[name];
      if (value === undefined && kind === "?") throw new Error(rest);
      return value ?? rest;
    });
  return parse(
    await readFile("compose.yaml", "utf8"),
    (_, value: unknown) => (typeof value === "string" ? withVariables(value) : value),
    { merge: true },
  ) as ComposeFile;
}

export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<
  string,
  unknown
>;

export async function readManifests(): Promise<Manifest[]> {
  const documents = parseAllDocuments(await readFile("deploy/kubernetes.yaml", "utf8"));
  return documents.map((document) => document.toJS() as Manifest);
}
