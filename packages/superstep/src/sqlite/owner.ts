import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/*
 * An owner is `process:<place>:<pid>:<start>:<nonce>`. Who finds a claim of an owner in the same place
 * can tell at once whether that process still exists, so that a run whose process was killed need
 * not wait for the end of its lease. For owners in other places only leases decide.
 *
 * place   host name, boot and process id namespace: where a process id means the same process
 * start   when the process began, in ticks since the boot: a process id may be used again
 * nonce   two owners in one process
 */

let ownPlace: string | undefined;

export function newOwner(): string {
  ownPlace ??= findPlace();
  const start = procOf(process.pid)?.start ?? "";
  return `process:${ownPlace}:${process.pid}:${start}:${randomBytes(6).toString("hex")}`;
}

const ownerPattern = /^process:(?<place>.*):(?<pid>[1-9]\d{0,9}):(?<start>\d*):[^:]*$/su;

/** Whether the process of the owner is known not to exist any more. */
export function isOwnerGone(owner: string): boolean {
  const { place, pid, start } = ownerPattern.exec(owner)?.groups ?? {};
  ownPlace ??= findPlace();
  if (place !== ownPlace || pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ESRCH"; // EPERM: somebody else's process, and alive
  }
  const found = procOf(Number(pid));
  if (!found) return false;
  return found.isZombie || (start !== "" && start !== found.start);
}

function findPlace(): string {
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  const namespace = readLink("/proc/self/ns/pid") ?? "";
  // Containers of one host can share its name: without the namespace nobody may judge by process id.
  const isSure = namespace !== "" || process.platform !== "linux";
  return `${hostname()}/${boot}/${isSure ? namespace : randomBytes(6).toString("hex")}`;
}

interface Proc {
  readonly start: string;
  readonly isZombie: boolean;
}

/** What Linux says of a process. The name before the fields may hold anything, `)` too. */
function procOf(pid: number): Proc | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields?.[0], fields?.[19]];
  return state === undefined || start === undefined
    ? undefined
    : { start, isZombie: state === "Z" || state === "X" };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
