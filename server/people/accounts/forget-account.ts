import type { Tx } from "#storage/database/database.ts";
import { deletePasskeysOf } from "#server/sign-in/passkeys/rows.ts";
import { deleteIdentitiesOf } from "#server/sign-in/providers/identity-rows.ts";
import { deleteProxyIdentityOf } from "#server/sign-in/proxy-sign-in/rows.ts";
import * as rows from "./rows.ts";

/** In a transaction with the guest locked: forgets the account that they asked for, so that they can ask again. */
export async function forgetAccount(tx: Tx, userId: string): Promise<void> {
  await rows.changeUser(tx, userId, { name: null, email: null, email_key: null, email_verified_at: null });
  await rows.deletePassword(tx, userId);
  await removeOtherMethods(tx, userId);
  await rows.deleteJoinRequest(tx, userId);
}

/** With the user locked: removes all ways to sign in except the password. */
export async function removeOtherMethods(tx: Tx, userId: string): Promise<void> {
  await deletePasskeysOf(tx, userId);
  await deleteIdentitiesOf(tx, userId);
  await deleteProxyIdentityOf(tx, userId);
  // A provider may later give the address to another person.
  await rows.changeUser(tx, userId, { email_verified_at: null });
}
