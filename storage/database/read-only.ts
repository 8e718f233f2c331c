import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from "kysely";

const writes = new Set(["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode", "MergeQueryNode"]);

/** Makes writing through `read` fail at once on every engine. */
export class ReadOnlyPlugin implements KyselyPlugin {
  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    if (writes.has(node.kind)) throw new Error("Write in a transaction, through the database's write.");
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

/** `read` has no transactions: on SQLite all readers share one connection and would share its snapshot. */
export function refuseTransaction(): never {
  throw new Error(
    "Transactions are begun by the database's write, also to read several things in one snapshot.",
  );
}
