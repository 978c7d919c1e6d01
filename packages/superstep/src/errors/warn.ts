const warned = new WeakSet<object>();

/** Prints a warning the first time that it concerns `subject`. */
export function warnOnce(subject: object, message: string): void {
  if (warned.has(subject)) return;
  warned.add(subject);
  const host = globalThis as { process?: { emitWarning?: (text: string, type: string) => void } };
  if (host.process?.emitWarning) host.process.emitWarning(message, "SuperstepWarning");
  // oxlint-disable-next-line no-console -- outside Node there is no other place for a warning
  else console.warn(message);
}
