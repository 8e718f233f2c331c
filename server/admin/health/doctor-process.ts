import { json } from "node:stream/consumers";
import { diagnose } from "../doctor/diagnose.ts";
import type { DoctorTask } from "./run-doctor.ts";

/** Prints what the doctor finds, as JSON. */
const { installation, nowMs } = (await json(process.stdin)) as DoctorTask;
const startMs = performance.now();
const diagnosis = await diagnose(installation, () => nowMs + performance.now() - startMs);
// Exits when it is written, also if a connection stays open.
process.stdout.write(JSON.stringify(diagnosis), () => process.exit());
