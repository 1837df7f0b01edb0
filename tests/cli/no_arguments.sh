# Without a subcommand: the help on standard error, status 1.
ztile 2>err
echo "status $?"
head -n 1 err
