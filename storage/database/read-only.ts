import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from "kysely";

const writes = new Set(["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode", "MergeQueryNode"]);

/** Says at once, on every engine, that `read` is not for writing. */
export class ReadOnlyPlugin implements KyselyPlugin {
  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    if (writes.has(node.kind)) throw new Error("Write in a transaction, through the database's write.");
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

/** Why `read` begins no transaction: on SQLite all readers share one connection, and would share what it sees. */
export function refuseTransaction(): never {
  throw new Error(
    "Transactions are begun by the database's write, also to read several things as of one moment.",
  );
}
