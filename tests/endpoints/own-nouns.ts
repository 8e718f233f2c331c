import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { nouns } from "#contract/facts/nouns.ts";
import { newId, type IdNoun } from "#contract/ids.ts";
import { pathOf, type Visitor } from "../support/clients/visitor.ts";

/** A noun that people put with ids of their own, such as a label: `labels.list`, `labels.put` and `labels.remove`. */
export type OwnNoun = {
  /** The parameter of its paths, such as `label_id`. */
  param: string;
  id: IdNoun;
  list: EndpointName;
  put: EndpointName;
  /** The body of the example of `put`. */
  example: object;
  /** Users of a backend have none. */
  isForPeople: boolean;
};

const names = Object.keys(api) as EndpointName[];

/** Follows from the facts and the endpoints of the nouns. */
export const ownNouns: readonly OwnNoun[] = nouns
  .flatMap(({ ids }) => Object.keys(ids) as IdNoun[])
  .flatMap((id) => {
    const param = `${id}_id`;
    const put = names.find((name) => name.endsWith(".put") && api[name].path.endsWith(`/{${param}}`));
    const list = names.find((name) => name === put?.replace(".put", ".list"));
    if (put === undefined || list === undefined) return [];
    const { example, errors = [] }: Endpoint = api[put];
    if (typeof example?.body !== "object") throw new Error(`${put} needs an example in the API reference.`);
    return { param, id, list, put, example: example.body!, isForPeople: errors.includes("not-allowed") };
  });

/** The noun of the endpoint. */
export function ownNounOf(name: EndpointName): OwnNoun | undefined {
  return ownNouns.find(({ list, param }) => name === list || api[name].path.includes(`{${param}}`));
}

/** Puts the example of the API reference. Returns its id. */
export async function putExample(who: Visitor, { param, id, put, example }: OwnNoun): Promise<string> {
  const own = newId(id);
  const { status, text } = await who.send("PUT", pathOf(put, { params: { [param]: own } }), {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(example),
  });
  if (status !== 200) throw new Error(`${put} returned ${status}: ${text}`);
  return own;
}
