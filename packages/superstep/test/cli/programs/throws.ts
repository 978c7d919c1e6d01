const x: number = 1;
throw new TypeError(`bad ${x}`);
